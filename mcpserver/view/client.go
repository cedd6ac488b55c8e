package view

import (
	"cmp"
	"encoding/json"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/focus"

	"webmcphub/mcpserver/wire"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Client is one client of the hub, for as long as its session lasts. Any
// goroutine may use it.
type Client struct {
	ID   string // the session's, for other clients to read, such as "stdio-1"
	Conn *wire.Conn
	Lens *ClientView
	// Sessionless says that this is for one request of a client of which no two
	// requests can be told to be its own.
	Sessionless bool
	// Focusing holds a token while a request chooses the focus and the lease that
	// goes with it.
	Focusing chan struct{}

	mu      sync.Mutex
	name    string          // how the client calls itself
	speaks  string          // the revision of MCP, "" until it has said
	lists   int             // how often it asked for its list of tools
	answers map[string]bool // which requests of ours it answers, by method; nil if it can't be asked
	news    []string        // see Announce
}

// New makes a client that has said nothing yet.
func NewClient(id string, conn *wire.Conn, l *ClientView, sessionless bool) *Client {
	return &Client{ID: id, Conn: conn, Lens: l, Sessionless: sessionless, Focusing: make(chan struct{}, 1)}
}

// Session is the session's id, "" where no two requests can be told to be one client's.
func (c *Client) Session() string {
	if c.Sessionless {
		return ""
	}
	return c.ID
}

// Introduced notes what the client says of itself in initialize.
func (c *Client) Introduced(params json.RawMessage) {
	var p struct {
		ClientInfo   struct{ Name string }      `json:"clientInfo"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if json.Unmarshal(params, &p) == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.name = sanitize.Text(p.ClientInfo.Name, maxName)
		c.answers = answers(p.Capabilities)
	}
}

// Named notes how the client calls itself in a request of protocol 2026-07-28, which has no
// initialize; "" is not said, and the name that was said last. The request keeps its name
// whatever later ones say. It must be called before the request is carried out.
func (c *Client) Named(r *wire.Request, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name = sanitize.Text(name, maxName); name != "" {
		c.name = name
	}
	r.From(c.name)
}

// maxName is how long a client's name may be.
const maxName = 64

// Answers says which of our requests a client answers that declared such
// capabilities, by method.
func Answers(capabilities json.RawMessage) func(method string) bool {
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(capabilities, &declared)
	all := answers(declared)
	return func(method string) bool { return all[method] }
}

// answers says which of our requests a client answers, by the capabilities
// that it declared.
func answers(capabilities map[string]json.RawMessage) map[string]bool {
	var elicitation map[string]json.RawMessage
	_ = json.Unmarshal(capabilities["elicitation"], &elicitation)
	return map[string]bool{
		sanitize.MethodSampling: jsonrpc.IsObject(capabilities["sampling"]),
		sanitize.MethodRoots:    jsonrpc.IsObject(capabilities["roots"]),
		// Without a member it is forms, as before there were others.
		sanitize.MethodElicitation: elicitation != nil && (len(elicitation) == 0 || elicitation["form"] != nil),
	}
}

// Name tells other clients whose session this is.
func (c *Client) Name() string {
	if name := c.CallsItself(); name != "" {
		return name + " (" + c.ID + ")"
	}
	return c.ID
}

// CallsItself is how the client calls itself, or "".
func (c *Client) CallsItself() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// CallsItselfIn is how the client calls itself in a request, or "". r may be nil.
func (c *Client) CallsItselfIn(r *wire.Request) string { return cmp.Or(r.Of(), c.CallsItself()) }

// Answers says whether the client can be asked anything, and whether it answers
// requests of that method.
func (c *Client) Answers(method string) (anything, this bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers != nil, c.answers[method]
}

// maxNews is how many announcements wait for a client that calls nothing; the oldest go.
const maxNews = 8

// Announce has the client told a text once, with its next result of a tool. No two requests of a sessionless client
// can be told to be its own, so it isn't told.
func (c *Client) Announce(text string) {
	if c.Sessionless {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news = append(c.news, text)
	c.news = c.news[max(0, len(c.news)-maxNews):]
}

// WithNews adds to a tool's result what the client is to be told.
func (c *Client) WithNews(result json.RawMessage) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := registry.Result{JSON: result}
	for _, text := range c.news {
		r = sanitize.WithNotice(r, text)
	}
	c.news = nil
	return r.JSON
}

// Calls notes that the client calls a tool.
func (c *Client) Calls() { c.Lens.Called(c.Conn.Unheard()) }

// Lists notes that the client asks for its list of tools. told says that its requests are
// known to be its own, so that it can be told of changes.
func (c *Client) Lists(told bool) {
	c.mu.Lock()
	c.lists++
	c.mu.Unlock()
	c.Lens.Lists(c.Conn.Unheard(), told)
}

// Speaks notes the revision of MCP that the client and the hub speak.
func (c *Client) Speaks(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speaks = revision
}

// Said is the revision of MCP that the client speaks, "" until it has said, and how often
// it asked for its list of tools.
func (c *Client) Said() (revision string, lists int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speaks, c.lists
}

// Served gives the client a new catalog. pages are those whose published tools
// changed; for elsewhere see [wire.Conn.ToolsChanged].
func (c *Client) Served(now *Served, pages []registry.PageID, elsewhere []*wire.Request) {
	changes := c.Lens.Served(now, len(pages) > 0)
	c.offersChanged(changes)
	if changes.Tools != 0 {
		c.Conn.ToolsChanged(pages, changes.Tools, elsewhere)
	}
}

func (c *Client) offersChanged(changes Changes) {
	if changes.Resources != 0 {
		c.Conn.ListChanged(wire.Resources, changes.Resources)
	}
	if changes.Prompts != 0 {
		c.Conn.ListChanged(wire.Prompts, changes.Prompts)
	}
}

// List switches the listing of page tools on or off for the client. now is the
// current catalog.
func (c *Client) List(on bool, now *Served) {
	changes, anew := c.Lens.List(on, now)
	if anew {
		c.Conn.ListedNothing(wire.Tools)
	}
	if changes.Tools != 0 {
		c.Conn.ToolsChanged(nil, changes.Tools, nil)
	}
}

// UserSwitched has the client's focus follow the user to a tab.
func (c *Client) UserSwitched(page registry.PageID) {
	_, _, changes := c.Lens.Step(focus.UserSwitchedTab{Page: page})
	c.offersChanged(changes)
	if changes.Tools != 0 {
		c.Conn.ToolsChanged([]registry.PageID{page}, changes.Tools, nil)
	}
}

// Chose carries out what a request of the client did to its focus, and gives
// what the client is shown then, for the answer. The list_changed that follows
// waits for that.
func (c *Client) Chose(r *wire.Request, e focus.Event) (focus.View, Seen) {
	shown, seen, changes := c.Lens.Step(e)
	if changes.Tools != 0 {
		c.Conn.Hold(r, changes.Tools)
	}
	c.offersChanged(changes)
	return shown, seen
}

// Reads makes a reply one by which the client sees that.
func (c *Client) Reads(answer wire.Reply, seen Seen) wire.Reply {
	answer.Read = func() wire.Listed { return wire.Listed{Kind: wire.Tools, Version: c.Lens.Saw(seen)} }
	return answer
}

// ReadsOffers makes a reply one by which the client sees a list of offers of that
// version.
func (c *Client) ReadsOffers(answer wire.Reply, kind offer.OfferKind, of *registry.Catalog, version uint64) wire.Reply {
	list := wire.Resources
	if kind == offer.Prompt {
		list = wire.Prompts
	}
	answer.Read = func() wire.Listed {
		c.Lens.SawOffers(kind, of)
		return wire.Listed{Kind: list, Version: version}
	}
	return answer
}
