//go:build unix

package launch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"webmcphub/cdpclient"
)

// duplicates are ends as another process is given them.
func duplicates(t *testing.T, e Ends) Ends {
	t.Helper()
	twin := func(f *os.File) *os.File {
		raw, err := f.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var fd int
		if e := raw.Control(func(of uintptr) { fd, err = syscall.Dup(int(of)) }); e != nil || err != nil {
			t.Fatal(e, err)
		}
		return os.NewFile(uintptr(fd), f.Name())
	}
	e.From, e.To = twin(e.From), twin(e.To)
	return e
}

// pipeEnds are an owner's ends, and those of what stands for Chrome.
func pipeEnds(t *testing.T) (owner Ends, in, out *os.File) {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return Ends{From: from, To: to, PID: 1 << 30, Owners: 1}, in, out
}

// TestAdoptAfterAnOwnerThatWasCutOff: the owner ended while half of a message was in
// the pipe, and half of another one was read from it.
func TestAdoptAfterAnOwnerThatWasCutOff(t *testing.T) {
	owner, in, out := pipeEnds(t)
	heir := duplicates(t, owner)

	// Chrome stops reading, so that only a part of the message fits the pipe.
	long := []byte(`{"id":7,"method":"Page.navigate","params":{"url":"` + strings.Repeat("x", 1<<20) + `"}}`)
	cut := make(chan error, 1)
	go func() { cut <- cdpclient.NewPipeWire(owner.From, owner.To).Write(long) }()
	first := make([]byte, 4096)
	if _, err := in.Read(first); err != nil {
		t.Fatal(err)
	}
	// And it was saying something, whose beginning the owner has read.
	if _, err := out.WriteString(`","value":1}}` + "\x00" + `{"id":16777217,"result":{"product":"of nobody"`); err != nil {
		t.Fatal(err)
	}
	if err := owner.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-cut; err == nil {
		t.Fatal("all of the message went into the pipe")
	}

	var carriedOut []string
	over := make(chan struct{})
	go func() { // Chrome goes on
		defer close(over)
		defer out.Close()
		_, _ = out.WriteString("\x00" + `{"id":8,"result":{"late":true}}` + "\x00")
		var rest bytes.Buffer
		rest.Write(first)
		buf := make([]byte, 64<<10)
		for {
			for {
				i := bytes.IndexByte(rest.Bytes(), 0)
				if i < 0 {
					break
				}
				msg := rest.Next(i + 1)[:i]
				var m struct {
					ID     uint64
					Method string
				}
				if json.Unmarshal(msg, &m) != nil {
					_, _ = out.WriteString(`{"error":{"code":-32700,"message":"JSON: invalid"}}` + "\x00")
					continue
				}
				carriedOut = append(carriedOut, m.Method)
				_, _ = fmt.Fprintf(out, `{"id":9,"result":{"late":true}}`+"\x00"+`{"id":%d,"result":{"product":"Chrome/1"}}`+"\x00", m.ID)
			}
			n, err := in.Read(buf)
			if err != nil {
				return
			}
			rest.Write(buf[:n])
		}
	}()

	c, err := Adopt(t.Context(), heir, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Version.Product != "Chrome/1" || c.Ends().Owners != 2 {
		t.Errorf("got %+v of owner %d", c.Version, c.Ends().Owners)
	}
	conn := cdpclient.NewConn(c.Watched(), func(cdpclient.Message) {})
	var v cdpclient.BrowserVersion
	if err := conn.Call(t.Context(), "", cdpclient.BrowserGetVersion, nil, &v); err != nil || v.Product != "Chrome/1" {
		t.Errorf("then got %+v %v", v, err)
	}
	if err := c.Leave(); err != nil {
		t.Error(err)
	}
	_ = conn.Close()
	<-conn.Done()
	<-over
	if len(carriedOut) < 4 || carriedOut[0] != cdpclient.BrowserGetVersion {
		t.Errorf("Chrome carried out %q", carriedOut)
	}
}

// TestAdoptGivesUp where Chrome is gone, or doesn't answer.
func TestAdoptGivesUp(t *testing.T) {
	owner, in, out := pipeEnds(t)
	_, _ = in.Close(), out.Close()
	if c, err := Adopt(t.Context(), owner, "", nil); err == nil {
		t.Error("adopted", c)
	}
	owner, in, out = pipeEnds(t)
	defer in.Close()
	defer out.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if c, err := Adopt(ctx, owner, "", nil); err == nil || time.Since(begun) > adoptTimeout {
		t.Errorf("adopted %v %v", c, err)
	}
	if _, err := owner.To.Write(nil); err == nil {
		t.Error("the ends are still open")
	}
}

// TestAdoptEndsAChromeThatRefuses, although others hold its ends: a new one couldn't
// be started on its profile.
func TestAdoptEndsAChromeThatRefuses(t *testing.T) {
	owner, in, out := pipeEnds(t)
	defer in.Close()
	other := duplicates(t, owner)
	defer other.Close()
	asked := make(chan []string)
	go func() {
		defer out.Close()
		var all []string
		for told := bufio.NewReader(in); ; {
			raw, err := told.ReadBytes(0)
			var m struct {
				ID     uint64
				Method string
			}
			if err != nil || json.Unmarshal(raw[:len(raw)-1], &m) != nil && len(raw) > 1 {
				break
			}
			if m.ID == 0 {
				continue // cuts off what was said before
			}
			if all = append(all, m.Method); m.Method == cdpclient.BrowserClose {
				break
			}
			_, _ = fmt.Fprintf(out, `{"id":%d,"error":{"code":-32000,"message":"no"}}`+"\x00", m.ID)
		}
		asked <- all
	}()
	if c, err := Adopt(t.Context(), owner, "", nil); err == nil {
		t.Fatal("adopted", c)
	}
	select {
	case all := <-asked:
		if !slices.Contains(all, cdpclient.BrowserClose) {
			t.Errorf("Chrome was asked for %q", all)
		}
	case <-time.After(10 * time.Second):
		t.Error("Chrome wasn't asked to quit")
	}
}

// TestAdoptChrome: what the owner before left in Chrome is gone, and the pages
// are as they were.
func TestAdoptChrome(t *testing.T) {
	needChrome(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><script>var kept = Math.random()</script>", r.URL.Path)
	}))
	defer site.Close()
	elsewhere := strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	c, err := Start(t.Context(), Options{Headless: true, Outlives: true, UserDataDir: t.TempDir(), Args: []string{"--disable-gpu", "--site-per-process", site.URL + "/top"}})
	if err != nil {
		t.Fatal(err)
	}
	heir := duplicates(t, c.Ends())

	conn, page := adoptedPage(t, c, "/top")
	kept := evaluate(t, conn, page, "kept")
	if err := conn.Call(t.Context(), page, cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true}, nil); err != nil {
		t.Fatal(err)
	}
	// Both are paused, as nobody lets them run.
	conn.Post(page, cdpclient.RuntimeEvaluate, map[string]any{"expression": "document.body.append(Object.assign(document.createElement('iframe'), {src: '" + elsewhere + "/frame'}))"}, nil)
	conn.Post(page, cdpclient.RuntimeEvaluate, map[string]any{"expression": "window.open('" + site.URL + "/popup')", "userGesture": true}, nil)
	popup := map[string]bool{}
	for !popup[""] { // its address while it is paused
		var all cdpclient.GetTargetsResult
		if err := conn.Call(t.Context(), "", cdpclient.TargetGetTargets, nil, &all); err != nil {
			t.Fatal(err)
		}
		for _, target := range all.TargetInfos {
			popup[target.URL] = target.Type == cdpclient.TypePage
		}
	}
	if err := c.Leave(); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	<-conn.Done()

	again, err := Adopt(t.Context(), heir, c.UserDataDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, page = adoptedPage(t, again, "/top")
	if got := evaluate(t, conn, page, "kept"); got != kept {
		t.Errorf("the page has %s, it had %s", got, kept)
	}
	for missing := true; missing; {
		var all cdpclient.GetTargetsResult
		if err := conn.Call(t.Context(), "", cdpclient.TargetGetTargets, nil, &all); err != nil {
			t.Fatal(err)
		}
		popup, frame := false, false
		for _, target := range all.TargetInfos {
			popup = popup || target.Title == "/popup"
			frame = frame || target.Type == cdpclient.TypeIframe && target.URL == elsewhere+"/frame"
		}
		missing = !popup || !frame
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	_ = conn.Close()
	<-conn.Done()
	<-c.Exited()
	if processLives(c.PID) {
		t.Error("Chrome lives on")
	}
}

// adoptedPage attaches to the page with this title.
func adoptedPage(t *testing.T, c *Chrome, title string) (*cdpclient.Conn, cdpclient.SessionID) {
	t.Helper()
	attached := make(chan cdpclient.AttachedToTarget, 100)
	conn := cdpclient.NewConn(c.Watched(), func(m cdpclient.Message) {
		if e, ok := m.(cdpclient.Event); ok && e.Method == cdpclient.TargetAttachedToTarget {
			var at cdpclient.AttachedToTarget
			if json.Unmarshal(e.Params, &at) == nil {
				attached <- at
			}
		}
	})
	if err := conn.Call(t.Context(), "", cdpclient.TargetSetAutoAttach, cdpclient.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true, Filter: []cdpclient.TargetFilterEntry{{Type: cdpclient.TypePage}}}, nil); err != nil {
		t.Fatal(err)
	}
	var pages []cdpclient.SessionID
	for {
		select {
		case at := <-attached:
			pages = append(pages, at.SessionID)
		case <-t.Context().Done():
			t.Fatal("there is no such page")
		default:
		}
		for _, page := range pages {
			if evaluate(t, conn, page, "document.title") == `"`+title+`"` {
				return conn, page
			}
		}
	}
}

func evaluate(t *testing.T, conn *cdpclient.Conn, page cdpclient.SessionID, expression string) string {
	t.Helper()
	var r struct {
		Result struct{ Value json.RawMessage }
	}
	if err := conn.Call(t.Context(), page, cdpclient.RuntimeEvaluate, map[string]any{"expression": expression, "returnByValue": true}, &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Result.Value)
}
