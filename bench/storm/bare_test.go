package storm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// A bare client's calls are measured, on the fake Chrome and on a real one,
// pages that storm and pages that don't.
func TestBareCalls(t *testing.T) {
	for _, at := range []Runtime{Fake, Native} {
		for _, name := range []string{"one-mad", "calls"} {
			t.Run(string(at)+" "+name, func(t *testing.T) {
				if at == Native {
					needChrome(t)
				}
				s := small(t, name)
				s.Pages = 4
				r := mustRun(t, s, Options{Runtime: at, Bare: true})
				if len(r.Failures) > 0 || r.Changes == 0 || r.Stamps == 0 {
					t.Errorf("%d changes, %d stamps, failed: %q", r.Changes, r.Stamps, r.Failures)
				}
				if r.Calls == 0 || r.QuietP50 <= 0 || r.QuietP99 < r.QuietP50 || r.CallP50 <= 0 || r.CallP99 < r.CallP50 {
					t.Errorf("calls were not measured: %+v", r)
				}
				if (r.BrowserCPU > 0) != (at == Native) || r.Apart {
					t.Errorf("it is not clear what was measured: %+v", r)
				}
			})
		}
	}
}

// needChrome skips a test that needs a real browser where there is none.
func needChrome(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("real Chrome is not started with -short")
	}
	if _, err := launch.Find(""); err != nil {
		if os.Getenv("WEBMCP_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skipf("skipped, needs a real browser: %v", err)
	}
}

// Whichever way answers come: each is held against its own call.
func TestBareAnswers(t *testing.T) {
	const (
		reply = `{"id":ID,"result":{"invocationId":"i1"},"sessionId":"s"}`
		event = `{"method":"WebMCP.toolResponded","params":{"invocationId":"i1","status":"Completed","output":{"content":[{"type":"text","text":"TEXT"}]}},"sessionId":"s"}`
	)
	other := strings.Replace(event, "i1", "i2", 1)
	for name, c := range map[string]struct {
		answers []string // to the call; nothing hangs up
		fails   string
	}{
		"reply first":      {[]string{reply, event}, ""},
		"event first":      {[]string{event, reply}, ""},
		"two events":       {[]string{reply, event, strings.Replace(event, "TEXT", "", 1)}, ""},
		"another's event":  {[]string{strings.Replace(other, "TEXT", "", 1), reply, event}, ""},
		"another's echo":   {[]string{reply, strings.Replace(event, "TEXT", "TEXT0", 1)}, "was answered by"},
		"a tool's failure": {[]string{reply, strings.Replace(event, "Completed", "Error", 1)}, "was answered by"},
		"refused":          {[]string{`{"id":ID,"error":{"code":-32602,"message":"Tool not found"},"sessionId":"s"}`}, "Tool not found"},
		"no answer":        {[]string{reply, other, ""}, "hung up"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &scripted{answers: c.answers, in: make(chan string, 20), closed: make(chan struct{})}
			b, err := startBare(func(context.Context) (cdpclient.Wire, error) { return w, nil }, 1, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			names, err := b.names(t.Context())
			if err != nil || len(names) != 1 {
				t.Fatal(names, err)
			}
			k := caller{by: b, names: []string{names["k0_echo"]}}
			k.call()
			if ok := len(k.took) == 1 && k.failed == 0; ok != (c.fails == "") {
				t.Errorf("%d calls were right, %d failed: %v", len(k.took), k.failed, k.why)
			}
			if c.fails != "" && (k.why == nil || !strings.Contains(k.why.Error(), c.fails)) {
				t.Errorf("it failed by %v, want %q", k.why, c.fails)
			}
			if err := b.running().Stop(); err != nil {
				t.Error(err)
			}
			if len(b.sent)+len(b.early) > 0 {
				t.Errorf("calls are left: %v %v", b.sent, b.early)
			}
		})
	}
}

// scripted is a browser of one page with one tool. It answers each call by the
// same messages, and hangs up at an empty one.
type scripted struct {
	answers []string
	in      chan string
	closed  chan struct{}
}

func (s *scripted) Read() ([]byte, error) {
	select {
	case msg := <-s.in:
		if msg != "" {
			return []byte(msg), nil
		}
	case <-s.closed:
	}
	return nil, errors.New("closed")
}

func (s *scripted) Write(msg []byte) error {
	var c struct {
		ID     int
		Method string
		Params struct{ Input struct{ Text string } }
	}
	if err := json.Unmarshal(msg, &c); err != nil {
		return err
	}
	switch c.Method {
	case "Target.setAutoAttach":
		s.in <- `{"method":"Target.attachedToTarget","params":{"sessionId":"s","targetInfo":{"targetId":"f","type":"page"}}}`
	case cdpclient.WebMCPEnable:
		s.in <- `{"method":"WebMCP.toolsAdded","params":{"tools":[{"name":"k0_echo","frameId":"f"},{"name":"k0_t1","frameId":"f"}]},"sessionId":"s"}`
	case cdpclient.WebMCPInvokeTool:
		for _, a := range s.answers {
			s.in <- strings.NewReplacer("ID", fmt.Sprint(c.ID), "TEXT", c.Params.Input.Text).Replace(a)
		}
	}
	return nil
}

func (s *scripted) Close() error {
	close(s.closed)
	return nil
}

// What a bare client can't do is refused, not left out.
func TestBareRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(*Scenario, *Options)
		says   string
	}{
		{func(_ *Scenario, o *Options) { o.Apart = true }, "apart"},
		{func(_ *Scenario, o *Options) { o.Runtime = MCPB }, "not mcpb"},
		{func(_ *Scenario, o *Options) { o.Runtime = Extension }, "not extension"},
		{func(s *Scenario, _ *Options) { s.Deaf = 1 }, "serves nobody"},
	} {
		s, o := small(t, "one-mad"), Options{Bare: true}
		c.change(&s, &o)
		if _, err := Run(t.Context(), s, o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want %q", err, c.says)
		}
	}
}
