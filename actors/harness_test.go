package actors

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

	"webmcphub/cdpclient/cdptest"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry"
)

// Every test runs in a bubble: the fake Chrome does no I/O, the clock is the
// bubble's, and a goroutine left behind fails the test by itself.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

const shop = "http://shop.test/"

// testHub is a hub between a fake Chrome and a publisher that keeps the catalog.
type testHub struct {
	*Hub
	t      *testing.T
	chrome *cdptest.Browser
	dialer *dialer
	pub    *publisher
	log    *logbook
	opts   Options
}

// prepare makes all but the hub itself, for what has to be there before it.
func prepare(t *testing.T, set ...func(*Options)) *testHub {
	h := &testHub{t: t, chrome: cdptest.New(), pub: &publisher{}, log: &logbook{}}
	h.dialer = &dialer{chrome: h.chrome}
	h.opts = Options{Dialer: h.dialer, Publisher: h.pub, Logger: slog.New(h.log)}
	for _, s := range set {
		s(&h.opts)
	}
	return h
}

// start starts it, for the rest of the test.
func (h *testHub) start() *testHub {
	h.t.Helper()
	h.Hub = Start(h.opts)
	h.t.Cleanup(func() {
		h.dialer.close()
		h.stop()
		h.chrome.Die()
		h.dialer.current().Die()
		fakeclock.Elapse(time.Minute)     // timers that have nothing to do any more
		fakeclock.Elapse(2 * time.Second) // protoactor counts what the last of them sends to nobody, for a second
		synctest.Wait()
		if n := h.log.count(slog.LevelError, "has no row for"); n != 0 {
			h.t.Errorf("%d turns of tabs were impossible", n)
		}
	})
	h.quiet()
	return h
}

func newHub(t *testing.T, set ...func(*Options)) *testHub { return prepare(t, set...).start() }

func (h *testHub) stop() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.Stop(ctx); err != nil {
		h.t.Error(err)
	}
}

// quiet waits until nothing moves and what was held back is out: a report by
// its page's limit, and then a flush by the interval.
func (h *testHub) quiet() {
	for range 2 {
		synctest.Wait()
		fakeclock.Elapse(DefaultNotifyInterval)
	}
	synctest.Wait()
}

// tools are the names published, without their common prefix.
func (h *testHub) tools() []string {
	names := []string{}
	for _, t := range h.pub.current().Tools() {
		names = append(names, strings.TrimPrefix(t.Name, "webmcp_"))
	}
	return names
}

// want waits, and compares the published names.
func (h *testHub) want(names ...string) {
	h.t.Helper()
	h.quiet()
	slices.Sort(names)
	if got := h.tools(); !slices.Equal(got, names) {
		h.t.Errorf("tools are\n\t%q, want\n\t%q", got, names)
	}
}

// tool finds a published tool by its name without the prefix.
func (h *testHub) tool(name string) *registry.HubTool {
	h.t.Helper()
	tool := h.pub.current().Lookup("webmcp_" + name)
	if tool == nil {
		h.t.Fatalf("no tool %s among %q", name, h.tools())
	}
	return tool
}

func (h *testHub) tab(page *cdptest.Page) *registry.Tab {
	h.t.Helper()
	tab := h.pub.current().Tab(registry.PageID(page.ID()))
	if tab == nil {
		h.t.Fatal("the page is not in the catalog")
	}
	return tab
}

// running is one call in flight.
type running struct {
	t      *testing.T
	cancel context.CancelFunc
	answer chan registry.Result
}

// begin calls a tool without waiting for its answer.
func (h *testHub) begin(name, args string) *running {
	h.t.Helper()
	return h.beginTool(context.Background(), h.tool(name), args)
}

func (h *testHub) beginTool(ctx context.Context, tool *registry.HubTool, args string) *running {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{h.t, cancel, make(chan registry.Result, 1)}
	go func() {
		defer cancel()
		r.answer <- h.Call(ctx, tool, json.RawMessage(args), CallExtras{})
	}()
	synctest.Wait()
	return r
}

// done says whether the answer is there.
func (r *running) done() bool {
	synctest.Wait()
	return len(r.answer) > 0
}

// result is the answer, which must be there without any time going by.
func (r *running) result() registry.Result {
	r.t.Helper()
	if !r.done() {
		r.t.Fatal("the call is not answered")
	}
	return <-r.answer
}

// runs fails if the answer is there.
func (r *running) runs() {
	r.t.Helper()
	if r.done() {
		r.t.Fatalf("the call is answered already: %s", (<-r.answer).JSON)
	}
}

func (r *running) says(text string) {
	r.t.Helper()
	wantText(r.t, r.result(), false, text)
}

func (r *running) fails(text string) {
	r.t.Helper()
	wantText(r.t, r.result(), true, text)
}

// call calls and expects a result that contains text.
func (h *testHub) call(name, args, text string) {
	h.t.Helper()
	h.begin(name, args).says(text)
}

func wantText(t *testing.T, r registry.Result, isError bool, text string) {
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
	mu      sync.Mutex
	catalog *registry.Catalog
	notices int
	seen    []string // statuses of Chrome, each once in a row
	first   func([]registry.Effect)
	apply   func([]registry.Effect)
	late    int               // catalogs whose version was not higher than the one before
	user    []registry.PageID // where the user switched to
}

// switched are the pages that the user is said to have switched to.
func (p *publisher) switched() []registry.PageID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.user)
}

func (p *publisher) Apply(effects []registry.Effect) {
	p.mu.Lock()
	first := p.first
	p.mu.Unlock()
	if first != nil {
		first(effects)
	}
	p.mu.Lock()
	apply := p.apply
	for _, e := range effects {
		switch e := e.(type) {
		case registry.Serve:
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
	p.mu.Unlock()
	if apply != nil {
		apply(effects)
	}
}

func (p *publisher) current() *registry.Catalog {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.catalog == nil {
		return registry.EmptyCatalog()
	}
	return p.catalog
}

func (p *publisher) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.notices
}

// versions counts the catalogs whose version was not higher than the last one's.
func (p *publisher) versions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.late
}

// before has first called before anything is done with the effects.
func (p *publisher) before(first func([]registry.Effect)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first = first
}

func (p *publisher) also(apply func([]registry.Effect)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apply = apply
}
