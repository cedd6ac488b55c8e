package view

import (
	"cmp"
	"encoding/json"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Client is one client of the hub, for as long as its session lasts. Any goroutine may use it.
type Client struct {
	ID   string // the session's id as other clients see it, such as "stdio-1"
	Conn *wire.Conn
	View *ClientView
	// Sessionless reports that this Client serves a single request, because the hub can't tell whether two requests
	// come from the same client.
	Sessionless bool
	// Focusing holds a token while a request chooses the focus and the lease that goes with it.
	Focusing chan struct{}

	mu      sync.Mutex
	name    string          // the name that the client gives itself
	speaks  string          // the revision of MCP that it uses; "" if unknown yet
	lists   int             // how often it requested its list of tools
	answers map[string]bool // the hub's requests that the client answers, by method; nil if it can't be asked
	news    []string        // see Announce
}

// NewClient returns a client that has sent nothing yet.
func NewClient(id string, conn *wire.Conn, l *ClientView, sessionless bool) *Client {
	return &Client{ID: id, Conn: conn, View: l, Sessionless: sessionless, Focusing: make(chan struct{}, 1)}
}

// Session returns the session's id, or "" if the hub can't tell whether two requests come from the same client.
func (c *Client) Session() string {
	if c.Sessionless {
		return ""
	}
	return c.ID
}

// Introduced notes what the client says about itself in initialize.
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

// Named notes the name that the client gives itself in a request of protocol 2026-07-28, which has no initialize. If
// name is "", the last name given holds. The request keeps its name whatever later requests say. Named must be called
// before the request is carried out.
func (c *Client) Named(r *wire.Request, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name = sanitize.Text(name, maxName); name != "" {
		c.name = name
	}
	r.SetSender(c.name)
}

// maxName is the maximum length of a client's name.
const maxName = 64

// CanAnswer returns a function that reports, by method, which of the hub's requests a client with these capabilities
// answers.
func CanAnswer(capabilities json.RawMessage) func(method string) bool {
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(capabilities, &declared)
	all := answers(declared)
	return func(method string) bool { return all[method] }
}

// answers returns which of the hub's requests a client with these capabilities answers, by method.
func answers(capabilities map[string]json.RawMessage) map[string]bool {
	var elicitation map[string]json.RawMessage
	_ = json.Unmarshal(capabilities["elicitation"], &elicitation)
	return map[string]bool{
		sanitize.MethodSampling: jsonrpc.IsObject(capabilities["sampling"]),
		sanitize.MethodRoots:    jsonrpc.IsObject(capabilities["roots"]),
		// Without members, elicitation means forms, as it did before there were other kinds.
		sanitize.MethodElicitation: elicitation != nil && (len(elicitation) == 0 || elicitation["form"] != nil),
	}
}

// Name returns the client's name and session id, for other clients to read.
func (c *Client) Name() string {
	if name := c.CallsItself(); name != "" {
		return name + " (" + c.ID + ")"
	}
	return c.ID
}

// CallsItself returns the name that the client gives itself, or "".
func (c *Client) CallsItself() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// CallsItselfIn returns the name that the client gives itself in a request, or "". r may be nil.
func (c *Client) CallsItselfIn(r *wire.Request) string { return cmp.Or(r.Sender(), c.CallsItself()) }

// Answers reports whether the client can be asked anything at all, and whether it answers requests of this method.
func (c *Client) Answers(method string) (anything, this bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers != nil, c.answers[method]
}

// maxNews is how many announcements a Client keeps while its client calls no tool. It drops the oldest.
const maxNews = 8

// Announce adds text to the client's next tool result, once. It does nothing for a sessionless client, because the
// hub can't tell which requests are that client's.
func (c *Client) Announce(text string) {
	if c.Sessionless {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news = append(c.news, text)
	c.news = c.news[max(0, len(c.news)-maxNews):]
}

// WithNews adds the announcements that wait for the client to a tool's result.
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

// NoteCalled notes that the client calls a tool.
func (c *Client) NoteCalled() { c.View.NoteCalled(c.Conn.ListUnread()) }

// NoteListed notes that the client requests its list of tools. canAnnounce reports that the hub knows which requests
// are this client's, so that changes can be announced to it.
func (c *Client) NoteListed(canAnnounce bool) {
	c.mu.Lock()
	c.lists++
	c.mu.Unlock()
	c.View.NoteListed(c.Conn.ListUnread(), canAnnounce)
}

// Speaks notes the revision of MCP that the client and the hub use.
func (c *Client) Speaks(revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speaks = revision
}

// Usage returns the revision of MCP that the client uses ("" if unknown yet), and how often it has requested its list
// of tools.
func (c *Client) Usage() (revision string, lists int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speaks, c.lists
}

// Served gives the client a new catalog. pages are the pages whose published tools changed; for elsewhere see
// [wire.Conn.ToolsChanged].
func (c *Client) Served(now *ServedCatalog, pages []registry.PageID, elsewhere []*wire.Request) {
	changes := c.View.Served(now, len(pages) > 0)
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

// SetListing switches the listing of page tools on or off for the client. now is the current catalog.
func (c *Client) SetListing(on bool, now *ServedCatalog) {
	changes, anew := c.View.SetListing(on, now)
	if anew {
		c.Conn.ForgetListed(wire.Tools)
	}
	if changes.Tools != 0 {
		c.Conn.ToolsChanged(nil, changes.Tools, nil)
	}
}

// UserSwitched makes the client's focus follow the user to another tab.
func (c *Client) UserSwitched(page registry.PageID) {
	_, _, changes := c.View.Step(focus.FocusTab{Page: page})
	c.offersChanged(changes)
	if changes.Tools != 0 {
		c.Conn.ToolsChanged([]registry.PageID{page}, changes.Tools, nil)
	}
}

// Chose changes the client's focus as one of its requests asks. It returns what the client is shown afterwards, for
// the answer to r. The list_changed that follows waits for that answer.
func (c *Client) Chose(r *wire.Request, e focus.Event) (focus.View, Seen) {
	shown, seen, changes := c.View.Step(e)
	if changes.Tools != 0 {
		c.Conn.Hold(r, changes.Tools)
	}
	c.offersChanged(changes)
	return shown, seen
}

// Reads returns the answer changed so that, when it is sent, the client counts as having read what seen describes.
func (c *Client) Reads(answer wire.Reply, seen Seen) wire.Reply {
	answer.Read = func() wire.Listed { return wire.Listed{Kind: wire.Tools, Version: c.View.Saw(seen)} }
	return answer
}

// ReadsOffers returns the answer changed so that, when it is sent, the client counts as having read this version of
// its list of offers.
func (c *Client) ReadsOffers(answer wire.Reply, kind offer.OfferKind, of *registry.Catalog, version uint64) wire.Reply {
	list := wire.Resources
	if kind == offer.Prompt {
		list = wire.Prompts
	}
	answer.Read = func() wire.Listed {
		c.View.SawOffers(kind, of)
		return wire.Listed{Kind: list, Version: version}
	}
	return answer
}
