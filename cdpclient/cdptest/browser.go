package cdptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"webmcphub/cdpclient"
)

// Browser is a fake Chrome.
type Browser struct {
	mu      sync.Mutex
	conns   []*conn
	targets []*target // pages and others; iframes' are found through their frames
	sites   map[string]Site
	hooks   map[string]Hook
	ids     int
	early   bool
	// answersFirst, see AnswerFirst.
	answersFirst bool
	backwards    bool      // see Shuffle
	log          []Command // of the browser sessions

	ctx context.Context // of everything that runs; ended by Die
	die context.CancelFunc
}

// Site is what a server would have at one address: what a document has as soon
// as it is loaded.
type Site struct {
	Title string
	Tools []Tool
	MCP   MCPHandler // the page's own MCP server
	// Unreachable is the code of the error page that is shown instead, such as
	// ERR_CONNECTION_REFUSED.
	Unreachable string
	// Slow documents don't finish loading before [Page.Loads].
	Slow bool
	// NoWebMCP says that the document has no modelContext.
	NoWebMCP bool
}

// New makes a browser without pages.
func New() *Browser {
	b := &Browser{sites: map[string]Site{}, hooks: map[string]Hook{}}
	b.ctx, b.die = context.WithCancel(context.Background())
	return b
}

// Serve says what documents at url have from now on.
func (b *Browser) Serve(url string, s Site) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sites[url] = s
}

// Connect opens one more connection to the browser, in memory.
func (b *Browser) Connect() cdpclient.Wire {
	w := newWire()
	w.conn = b.newConn(w.push, sync.OnceFunc(func() { close(w.dead) }))
	return w
}

// newConn adds a connection. A dead browser hangs up at once.
func (b *Browser) newConn(send func([]byte), hangUp func()) *conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &conn{b: b, send: send, hangUp: hangUp, sessions: map[cdpclient.SessionID]*session{}}
	c.root = &session{conn: c}
	c.sessions[""] = c.root
	if b.ctx.Err() != nil {
		hangUp()
		return c
	}
	b.conns = append(b.conns, c)
	return c
}

// Die ends the browser as a kill would: connections drop, tools are cancelled.
// Pages still answer their methods, but nobody hears of it.
func (b *Browser) Die() {
	b.die()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		c.hangUp()
	}
	b.conns = nil
}

// Disconnect drops all connections, as when a socket breaks. Pages and their
// documents live on; a new [Browser.Connect] finds them.
func (b *Browser) Disconnect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range slices.Clone(b.conns) {
		c.hangUp()
		c.drop()
	}
}

// HoldEarly chooses when new tabs wait for the debugger. Chrome does both, as it
// happens: with the document there but not run (false), or still with an empty
// one, so that a navigation follows (true).
func (b *Browser) HoldEarly(early bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.early = early
}

// Shuffle has the tabs that are there be announced newest first. Chrome has no
// order of its own there.
func (b *Browser) Shuffle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.backwards = true
}

// known are the targets that a new connection is told of, in that order.
func (b *Browser) known() []*target {
	known := slices.Clone(b.targets)
	if b.backwards {
		slices.Reverse(known)
	}
	return known
}

// AnswerFirst has the answers of tools without Execute come before the replies
// that name their invocations: Chrome doesn't, but a relay may.
func (b *Browser) AnswerFirst(first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answersFirst = first
}

// OpenPage opens a tab at url. If a connection waits for new targets, the page
// loads when that lets it.
func (b *Browser) OpenPage(url string) *Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open(url, nil)
}

// OpenPages opens n tabs, for storms; url may contain a %d for their number.
func (b *Browser) OpenPages(n int, url string) []*Page {
	pages := make([]*Page, n)
	for i := range pages {
		pages[i] = b.OpenPage(strings.ReplaceAll(url, "%d", strconv.Itoa(i)))
	}
	return pages
}

// OpenOther makes a target that is not a page ("browser_ui", "service_worker").
func (b *Browser) OpenOther(kind, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &target{b: b, id: b.newID(), kind: kind, url: url}
	b.targets = append(b.targets, t)
	b.announce(t)
}

// Pages lists the open tabs, oldest first.
func (b *Browser) Pages() []*Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	var pages []*Page
	for _, t := range b.targets {
		if t.page != nil {
			pages = append(pages, t.page)
		}
	}
	return pages
}

// Page finds a tab by its target id, or gives nil.
func (b *Browser) Page(targetID string) *Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.target(targetID); t != nil {
		return t.page
	}
	return nil
}

func (b *Browser) target(id string) *target {
	for _, t := range b.targets {
		if t.id == id {
			return t
		}
	}
	return nil
}

// newID gives ids that look like Chrome's and sort by age.
func (b *Browser) newID() string {
	b.ids++
	return fmt.Sprintf("%08X%024X", b.ids, 0xFA4E)
}

// Command is one command that the browser received.
type Command struct {
	Session cdpclient.SessionID
	Method  string
	Params  []byte // JSON, may be empty
}

// maxCommands bounds each list of commands; older ones are forgotten.
const maxCommands = 1000

func remember(log []Command, c Command) []Command {
	if len(log) >= maxCommands {
		log = append(log[:0], log[maxCommands/2:]...)
	}
	return append(log, c)
}

// Commands lists what came on browser sessions, oldest first.
func (b *Browser) Commands() []Command {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.log)
}

// Hook answers a command in the fake's place: with a result (anything that has
// JSON), with an error ([cdpclient.Error] as it is), or, if the error is
// [ErrHang], never. [ErrPass] lets the fake answer after all.
type Hook func(Command) (any, error)

// ErrHang makes a [Hook]'s command stay without reply.
var ErrHang = errors.New("cdptest: no reply")

// ErrPass makes a [Hook] stand aside.
var ErrPass = errors.New("cdptest: pass")

// On sets the hook for a method, on all sessions; nil takes it away.
func (b *Browser) On(method string, h Hook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if h == nil {
		delete(b.hooks, method)
		return
	}
	b.hooks[method] = h
}

// runner runs functions one after the other, on a goroutine that exists only
// while there are some.
type runner struct {
	mu    sync.Mutex
	queue []func()
	busy  bool
}

func (r *runner) idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.busy
}

func (r *runner) do(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, f)
	if !r.busy {
		r.busy = true
		go r.run()
	}
}

func (r *runner) run() {
	for {
		r.mu.Lock()
		if len(r.queue) == 0 {
			r.busy = false
			r.mu.Unlock()
			return
		}
		f := r.queue[0]
		r.queue = r.queue[1:]
		r.mu.Unlock()
		f()
	}
}

// sleepUntil ends early when the browser dies.
func (b *Browser) sleepUntil(due time.Time) {
	if d := time.Until(due); d > 0 {
		select {
		case <-time.After(d):
		case <-b.ctx.Done():
		}
	}
}
