package hubtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/bridge"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// Execute is what a tool does; [cdptest.Never] means no answer.
type Execute = func(context.Context, json.RawMessage) (any, error)

// Says returns an Execute that answers at once.
func Says(v any) Execute {
	return func(context.Context, json.RawMessage) (any, error) { return v, nil }
}

// Slow is a tool that answers when the test says so.
type Slow struct {
	mu      sync.Mutex
	started int
	aborted int
	Answers chan any
}

// NewSlow returns a Slow. It accepts an answer also before it is called.
func NewSlow() *Slow { return &Slow{Answers: make(chan any, 1)} }

// Execute waits for an answer or the end of the call.
func (s *Slow) Execute(ctx context.Context, _ json.RawMessage) (any, error) {
	s.add(&s.started)
	select {
	case v := <-s.Answers:
		if err, ok := v.(error); ok {
			return nil, err
		}
		return v, nil
	case <-ctx.Done():
		s.add(&s.aborted)
		return cdptest.Never, nil
	}
}

func (s *Slow) add(n *int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
}

// Counts returns how many calls have begun, and how many were cancelled or lost their document.
func (s *Slow) Counts() (started, aborted int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started, s.aborted
}

// Tool returns the Slow as a tool with a name.
func (s *Slow) Tool(name string) cdptest.Tool { return cdptest.Tool{Name: name, Execute: s.Execute} }

// Sent counts the commands of a method that a page received.
func Sent(p *cdptest.Page, method string) (n int) {
	for _, c := range p.Commands() {
		if c.Method == method {
			n++
		}
	}
	return n
}

// WantEncoded fails unless the tool, as clients get it, contains text.
func WantEncoded(t *testing.T, tool *registry.HubTool, text string) {
	t.Helper()
	if !strings.Contains(string(tool.Encoded), text) {
		t.Errorf("%s does not contain %s", tool.Encoded, text)
	}
}

// StopActor makes the page's actor block in the middle of a message. What Chrome sends meanwhile is then in its
// mailbox when it goes on.
func (h *TestHub) StopActor(p *cdptest.Page) (release func()) {
	h.T.Helper()
	gate := make(chan struct{})
	release = sync.OnceFunc(func() {
		synctest.Wait() // all that was sent is in the mailbox
		close(gate)
		synctest.Wait()
	})
	h.T.Cleanup(release) // after a failure
	h.InActor(p, func(*tab.Tab) { <-gate })
	h.Quiet()
	return release
}

// FlowControl returns the FlowControl of the page's actor.
func (h *TestHub) FlowControl(p *cdptest.Page) (i *tab.FlowControl) {
	h.T.Helper()
	h.InActor(p, func(a *tab.Tab) { i = a.FlowControl() })
	synctest.Wait()
	return i
}

// Navigating returns a tool that navigates its own page.
func Navigating(name, url string, gives any) cdptest.Tool {
	return cdptest.Tool{Name: name, Execute: func(ctx context.Context, _ json.RawMessage) (any, error) {
		cdptest.NavigateFromTool(ctx, url)
		return gives, nil
	}}
}

// Offer opens the shop's page with these tools.
func (h *TestHub) Offer(tools ...cdptest.Tool) *cdptest.Page {
	h.T.Helper()
	p := h.Chrome.OpenPage(Shop)
	h.Quiet()
	p.Register(tools...)
	h.Quiet()
	return p
}

// SameJSON says whether two texts are JSON of the same value.
func SameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// Tool returns a tool that answers ok at once.
func Tool(name string) cdptest.Tool { return cdptest.Tool{Name: name} }

// Cart is another page of the shop's.
const Cart = Shop + "cart"

// Ads is a page of another origin than the shop's, so of another process.
const Ads = "http://ads.test/"

// FrameCases are the kinds of iframes: in the page's process, or in its own.
var FrameCases = map[string]string{"same process": Shop + "inner", "own process": Ads}

// Frame adds an iframe and waits until it is shown.
func (h *TestHub) Frame(in *cdptest.Frame, url string) *cdptest.Frame {
	f := in.AddFrame(url)
	h.Quiet()
	return f
}

// TitleOf returns a published tool's title.
func (h *TestHub) TitleOf(name string) string {
	h.T.Helper()
	var tool struct{ Title string }
	if err := json.Unmarshal(h.Tool(name).Encoded, &tool); err != nil {
		h.T.Fatal(err)
	}
	return tool.Title
}

// Pass lets time pass.
func (h *TestHub) Pass(d time.Duration) {
	fakeclock.Elapse(d)
	synctest.Wait()
}

// ConnectTo connects a page and fails the test if that is refused.
func (h *TestHub) ConnectTo(p *cdptest.Page) {
	h.T.Helper()
	if err := h.ConnectPage(h.T.Context(), registry.PageID(p.ID())); err != nil {
		h.T.Error(err)
	}
	h.Quiet()
}

// LetGoOf disconnects a page, as a caller does.
func (h *TestHub) LetGoOf(p *cdptest.Page) {
	h.T.Helper()
	if err := h.DisconnectPage(h.T.Context(), registry.PageID(p.ID())); err != nil {
		h.T.Error(err)
	}
	h.Quiet()
}

// Untouched fails if the page was sent anything, or if the browser was asked for anything that could reach pages.
func (h *TestHub) Untouched(p *cdptest.Page) {
	h.T.Helper()
	if c := p.Commands(); len(c) != 0 {
		h.T.Errorf("the page was sent %s and %d more commands", c[0].Method, len(c)-1)
	}
	harmless := []string{
		"Browser.getVersion", "Browser.getWindowForTarget", "Target.setDiscoverTargets", "Target.getTargets",
		"Target.getBrowserContexts",
	}
	for _, c := range h.Chrome.Commands() {
		if !slices.Contains(harmless, c.Method) {
			h.T.Errorf("the browser was sent %s %s", c.Method, c.Params)
		}
	}
}

// Explicit is an option: pages are left alone until a caller connects them.
func Explicit(o *actors.Options) { o.Explicit = true }

// GaveUp says whether the hub has given up.
func (h *TestHub) GaveUp() bool {
	synctest.Wait()
	select {
	case err := <-h.Failed():
		return err != nil
	default:
		return false
	}
}

// Adapt makes the hub's adapter in a page's main frame offer tools of one runtime. change changes these tools.
func (h *TestHub) Adapt(p *cdptest.Page, runtime string, names ...string) (change func(names ...string)) {
	tools := func(names []string) (all []cdptest.Tool) {
		for _, name := range names {
			all = append(all, cdptest.Tool{Name: name,
				Execute: func(context.Context, json.RawMessage) (any, error) { return "by the adapter", nil }})
		}
		return all
	}
	server, send := h.Adapter(p, runtime, tools(names)...)
	return func(names ...string) {
		server.SetTools(tools(names)...)
		send(string(cdptest.ListChanged))
		h.Quiet()
	}
}

// Adapter does the same as Adapt with tools as they are; send sends the page's words.
func (h *TestHub) Adapter(p *cdptest.Page, runtime string,
	tools ...cdptest.Tool) (server *cdptest.MCPServer, send func(string)) {
	server = cdptest.NewMCPServer(tools...)
	h.T.Cleanup(server.Stop)
	send = func(payload string) {
		p.Main().Binding(bridge.Binding, `{"t":"dom","p":`+payload+`}`)
	}
	p.On(bridge.CallMethod, func(c cdptest.Command) (any, error) {
		var call struct {
			FunctionDeclaration string
			Arguments           []struct{ Value string }
		}
		if json.Unmarshal(c.Params, &call) != nil || call.FunctionDeclaration != bridge.AdapterSend {
			return nil, cdptest.ErrPass
		}
		meta := `"_meta":{"` + bridge.AdapterRuntimeKey + `":"` + runtime + `"},"inputSchema"`
		go func() {
			for _, answer := range server.Handle(json.RawMessage(call.Arguments[0].Value)) {
				send(strings.ReplaceAll(string(answer), `"inputSchema"`, meta))
			}
		}()
		return map[string]any{"result": map[string]any{}}, nil
	})
	send(Ready)
	h.Quiet()
	return server, send
}

// Runtime returns the runtime of a published tool.
func (h *TestHub) Runtime(name string) offer.Runtime { return h.Tool(name).Route.Runtime }

// Third is a page of a third origin.
const Third = "http://third.test/"

// ErrNoChrome is the error of a dial that doesn't reach Chrome.
var ErrNoChrome = errors.New("no Chrome")
