package hubtest

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"webmcphub/actors"
	"webmcphub/actors/tab"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// Bubble runs a test in a synctest bubble: the fake Chrome does no I/O, the clock is the bubble's, and a goroutine
// left behind fails the test.
func Bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// Shop is the page that most tests open.
const Shop = "http://shop.test/"

// TestHub is a hub between a fake Chrome and a publisher that keeps the catalog.
type TestHub struct {
	*actors.Hub
	T      *testing.T
	Chrome *cdptest.Browser
	Dialer *ChromeDialer
	Pub    *publisher
	Log    *logbook
	Opts   actors.Options
	turns  turns
}

// Prepare makes everything except the hub itself, for tests that need something before the hub starts.
func Prepare(t *testing.T, set ...func(*actors.Options)) *TestHub {
	h := &TestHub{T: t, Chrome: cdptest.New(), Pub: &publisher{}, Log: &logbook{},
		turns: turns{tabs: map[registry.PageID]*tab.Address{}}}
	h.Dialer = &ChromeDialer{Chrome: h.Chrome}
	h.Opts = actors.Options{ConnectOptions: actors.ConnectOptions{Dialer: h.Dialer}, Publisher: h.Pub,
		Logger: slog.New(h.Log)}
	for _, s := range set {
		s(&h.Opts)
	}
	return h
}

// Start starts the hub for the rest of the test.
func (h *TestHub) Start() *TestHub {
	h.T.Helper()
	h.Opts.TestHooks.Inside = append([]actor.ReceiverMiddleware{h.turns.middleware}, h.Opts.TestHooks.Inside...)
	h.Hub = actors.Start(h.Opts)
	h.T.Cleanup(func() {
		h.Dialer.Close()
		h.StopNow()
		h.Chrome.Die()
		h.Dialer.Current().Die()
		fakeclock.Elapse(time.Minute)     // timers that have nothing to do any more
		fakeclock.Elapse(2 * time.Second) // protoactor counts what the last of them sends to nobody, for a second
		synctest.Wait()
		if n := h.Log.Count(slog.LevelError, "has no row for"); n != 0 {
			h.T.Errorf("%d turns of tabs were impossible", n)
		}
	})
	h.Quiet()
	return h
}

// NewHub prepares and starts a hub. The functions in set may change its options.
func NewHub(t *testing.T, set ...func(*actors.Options)) *TestHub { return Prepare(t, set...).Start() }

// StopNow stops the hub, which has a minute of the bubble's time for that.
func (h *TestHub) StopNow() {
	h.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.Stop(ctx); err != nil {
		h.T.Error(err)
	}
}

// Quiet waits until nothing happens any more and everything that was held back has come: a report, by its page's
// limit, and then a flush, by the interval.
func (h *TestHub) Quiet() {
	for range 2 {
		synctest.Wait()
		fakeclock.Elapse(actors.DefaultNotifyInterval)
	}
	synctest.Wait()
}

// Tools returns the published names, without their common prefix.
func (h *TestHub) Tools() []string {
	names := []string{}
	for _, t := range h.Pub.Current().Tools() {
		names = append(names, strings.TrimPrefix(t.Name, "webmcp_"))
	}
	return names
}

// Want waits, and compares the published names.
func (h *TestHub) Want(names ...string) {
	h.T.Helper()
	h.Quiet()
	slices.Sort(names)
	if got := h.Tools(); !slices.Equal(got, names) {
		h.T.Errorf("tools are\n\t%q, want\n\t%q", got, names)
	}
}

// Tool returns a published tool by its name without the prefix.
func (h *TestHub) Tool(name string) *registry.HubTool {
	h.T.Helper()
	tool := h.Pub.Current().Lookup("webmcp_" + name)
	if tool == nil {
		h.T.Fatalf("no tool %s among %q", name, h.Tools())
	}
	return tool
}

// Tab returns a page's entry in the published catalog.
func (h *TestHub) Tab(page *cdptest.Page) *registry.Tab {
	h.T.Helper()
	tab := h.Pub.Current().Tab(registry.PageID(page.ID()))
	if tab == nil {
		h.T.Fatal("the page is not in the catalog")
	}
	return tab
}

// Running is one call in flight.
type Running struct {
	t      *testing.T
	Cancel context.CancelFunc
	Answer chan registry.Result
}

// Begin calls a tool without waiting for its answer.
func (h *TestHub) Begin(name, args string) *Running {
	h.T.Helper()
	return h.BeginTool(context.Background(), h.Tool(name), args)
}

// BeginTool does the same as Begin for a tool of any catalog, published or not, and with a context.
func (h *TestHub) BeginTool(ctx context.Context, tool *registry.HubTool, args string) *Running {
	ctx, cancel := context.WithCancel(ctx)
	r := &Running{h.T, cancel, make(chan registry.Result, 1)}
	go func() {
		defer cancel()
		r.Answer <- h.Call(ctx, tool, json.RawMessage(args), actors.CallExtras{})
	}()
	synctest.Wait()
	return r
}

// done says whether the call has been answered.
func (r *Running) done() bool {
	synctest.Wait()
	return len(r.Answer) > 0
}

// Result returns the answer, which must have come without any time passing.
func (r *Running) Result() registry.Result {
	r.t.Helper()
	if !r.done() {
		r.t.Fatal("the call is not answered")
	}
	return <-r.Answer
}

// Runs fails if the call has been answered.
func (r *Running) Runs() {
	r.t.Helper()
	if r.done() {
		r.t.Fatalf("the call is answered already: %s", (<-r.Answer).JSON)
	}
}

// Says and Fails compare the answer, a success or a failure, which must contain text.
func (r *Running) Says(text string) {
	r.t.Helper()
	WantText(r.t, r.Result(), false, text)
}

func (r *Running) Fails(text string) {
	r.t.Helper()
	WantText(r.t, r.Result(), true, text)
}

// CallSays calls and expects a result that contains text.
func (h *TestHub) CallSays(name, args, text string) {
	h.T.Helper()
	h.Begin(name, args).Says(text)
}

// WantText fails unless isError says whether the result is an error, and the result's first text contains text.
func WantText(t *testing.T, r registry.Result, isError bool, text string) {
	t.Helper()
	var v struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(r.JSON, &v); err != nil || len(v.Content) == 0 {
		t.Fatalf("not a result: %s", r.JSON)
	}
	if r.IsError != isError || v.IsError != isError {
		t.Errorf("isError is %v, want %v: %s", r.IsError, isError, r.JSON)
	}
	if !strings.Contains(v.Content[0].Text, text) {
		t.Errorf("the answer is %q, want %q in it", v.Content[0].Text, text)
	}
}

// publisher keeps what the registry actor published.
type publisher struct {
	Mu      sync.Mutex
	catalog *registry.Catalog
	notices int
	seen    []string // statuses of Chrome, each once in a row
	first   func([]registry.Effect)
	apply   func([]registry.Effect)
	late    int               // catalogs whose version was not higher than the one before
	user    []registry.PageID // where the user switched to
}

// Switched returns the pages to which the user is said to have switched.
func (p *publisher) Switched() []registry.PageID {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	return slices.Clone(p.user)
}

// Apply is called by the registry actor. It keeps the catalog, and counts.
func (p *publisher) Apply(effects []registry.Effect) {
	p.Mu.Lock()
	first := p.first
	p.Mu.Unlock()
	if first != nil {
		first(effects)
	}
	p.Mu.Lock()
	apply := p.apply
	for _, e := range effects {
		switch e := e.(type) {
		case registry.SetCatalog:
			if p.catalog != nil && e.Catalog.Version() <= p.catalog.Version() {
				p.late++
			}
			p.catalog = e.Catalog
			if s := e.Catalog.BrowserStatus(); len(p.seen) == 0 || p.seen[len(p.seen)-1] != s {
				p.seen = append(p.seen, s)
			}
		case registry.NotifyListChanged:
			p.notices++
		case registry.UserSwitched:
			p.user = append(p.user, e.Page)
		}
	}
	p.Mu.Unlock()
	if apply != nil {
		apply(effects)
	}
}

// Current returns the newest catalog, or an empty one before the first.
func (p *publisher) Current() *registry.Catalog {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if p.catalog == nil {
		return registry.EmptyCatalog()
	}
	return p.catalog
}

// Count returns how often clients were to be told of a changed list.
func (p *publisher) Count() int {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	return p.notices
}

// Versions returns the number of catalogs whose version was not higher than the previous one's.
func (p *publisher) Versions() int {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	return p.late
}

// Before makes first be called before anything is done with the effects.
func (p *publisher) Before(first func([]registry.Effect)) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	p.first = first
}

// Also makes apply be called with all effects from now on.
func (p *publisher) Also(apply func([]registry.Effect)) {
	p.Mu.Lock()
	defer p.Mu.Unlock()
	p.apply = apply
}
