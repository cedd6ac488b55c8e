package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkCallLive measures one call after the other of a page's tool through the hub, over
// stdio, in turns of 200 calls on the same page of the same Chrome: without a live page
// (off), with --ui (on), and with --ui while one viewer reads its stream of updates (viewed),
// which has to show the turn's last call. Each turn has a hub of its own, with a warm-up of
// 100 calls, because Chrome tells every session of every call. ns/op is the median with a
// viewer. The goal is 1.02 × off.
func BenchmarkCallLive(b *testing.B) {
	b.Setenv("XDG_CONFIG_HOME", b.TempDir()) // where hubs tell "webmcp-hub ui" of their pages
	chrome := startBrowser(b)
	cdp := chrome.dial(b)
	cdp.closeAll(b)
	cdp.open(b, chrome.address(0))
	ways := []*liveWay{{name: "off"}, {name: "on", args: []string{"--ui"}}, {name: "viewed", args: []string{"--ui"}, viewed: true}}
	for _, w := range ways {
		w.turn(b, chrome)
		w.calls, w.cpu = nil, 0
	}
	for n := 0; b.Loop(); n++ {
		for i := range ways {
			ways[(n+i)%len(ways)].turn(b, chrome) // each is first, second and last as often
		}
	}
	for _, w := range ways {
		b.ReportMetric(micros(w.calls.quantile(0.5)), w.name+"-p50-µs")
		b.ReportMetric(micros(w.calls.quantile(0.99)), w.name+"-p99-µs")
		b.ReportMetric(micros(w.cpu)/float64(len(w.calls)), w.name+"-cpu-µs/call")
	}
	off, on, viewed := ways[0].calls.quantile(0.5), ways[1].calls.quantile(0.5), ways[2].calls.quantile(0.5)
	b.ReportMetric(float64(viewed), "ns/op")
	b.ReportMetric(float64(on)/float64(off), "on/off-p50")
	b.ReportMetric(float64(viewed)/float64(off), "viewed/off-p50")
}

// liveWay is one of the ways that are compared.
type liveWay struct {
	name   string
	args   []string // the hub's
	viewed bool
	calls  samples
	cpu    time.Duration // of the hub, while these were made
}

func (w *liveWay) turn(b *testing.B, at *browser) {
	h := attachHub(b, at, w.args...)
	defer h.end(b)
	name := h.listUntil(b, having(1))[0]
	var v *viewer
	if w.viewed {
		v = view(b, h)
		defer v.leave()
	}
	for i := range turn / 2 {
		h.call(b, name, "w"+strconv.Itoa(i))
	}
	before := h.cpu(b)
	for i := range turn {
		begin := time.Now()
		h.call(b, name, "h"+strconv.Itoa(i))
		w.calls.since(begin)
	}
	w.cpu += h.cpu(b) - before
	if v != nil {
		v.shows(b, "h"+strconv.Itoa(turn-1))
	}
}

// viewer reads the updates of a hub's live page, as a browser does that shows it.
type viewer struct {
	leave   func()
	updates chan []byte // closed at the end of the stream
}

// view lets a viewer in, and returns once it has the page's first update.
func view(b *testing.B, h *hub) *viewer {
	b.Helper()
	out, err := exec.Command(hubBinary, "ui", "--print", "--hub", strconv.Itoa(h.cmd.Process.Pid)).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		b.Fatal(err)
	}
	link := strings.TrimSpace(string(out))
	ctx, cancel := context.WithCancel(context.Background())
	client := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(address string, cookies ...*http.Cookie) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range cookies {
			r.AddCookie(c)
		}
		answer, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		return answer
	}
	entered := get(link)
	_ = entered.Body.Close()
	address, _, _ := strings.Cut(link, "?")
	stream := get(address+"events", entered.Cookies()...)
	if kind := stream.Header.Get("Content-Type"); stream.StatusCode != http.StatusOK || kind != "text/event-stream" {
		b.Fatalf("the live page's updates are %s, %s", stream.Status, kind)
	}
	v := &viewer{updates: make(chan []byte, 1024)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(v.updates)
		from := bufio.NewReaderSize(stream.Body, 1<<20)
		for {
			line, err := from.ReadBytes('\n')
			if err != nil {
				return // the hub has ended, or the viewer has left
			}
			if data, is := bytes.CutPrefix(line, []byte("data: ")); is {
				v.updates <- data
			}
		}
	}()
	v.leave = func() {
		cancel()
		for range v.updates { // until it is closed
		}
		<-ended
		_ = stream.Body.Close()
	}
	v.shows(b, "calls")
	return v
}

// shows reads updates until one has a text.
func (v *viewer) shows(b *testing.B, text string) {
	b.Helper()
	for late := time.After(patience); ; {
		select {
		case update, open := <-v.updates:
			if !open {
				b.Fatalf("the live page's updates ended before %s", text)
			}
			if bytes.Contains(update, []byte(text)) {
				return
			}
		case <-late:
			b.Fatalf("the live page didn't show %s in %v", text, patience)
		}
	}
}
