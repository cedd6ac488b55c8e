package automate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"webmcphub/automation"
	"webmcphub/internal/browsertool"

	"webmcphub/automation/schema"
	"webmcphub/cluster/api"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/pages"
	"webmcphub/registry"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// NodeCaller has the methods of [gateway.Nodes] that [Tools] needs.
type NodeCaller interface {
	Automate(ctx context.Context, node string, a *api.Automation, progress func(what string)) (*api.Automated, error)
	Automates(node string) (categories []string, known bool)
	ClientGone(node, client string)
}

// Tools are the browser tools of one tenant's clients.
type Tools struct {
	nodes   NodeCaller
	tenant  string
	rules   *names.Origins // say which pages agents may not open
	table   []*automation.Tool
	offered []browsertool.Tool
	current browsertool.CurrentPages // of sessions; with the gateway's names of pages

	mu       sync.Mutex
	sessions map[string]*session
}

// session is what a client has at nodes.
type session struct {
	nodes map[string]bool // the nodes that know the client
	trace string          // the node that records a trace for it; "" for none
	calls int             // how many of the client's calls run
	gone  bool            // the client has gone while its calls ran
}

// NewTools returns a tenant's tools of these categories. rules contain the gateway's own pages, and are nil if it has
// none.
func NewTools(n NodeCaller, tenant string, on []automation.Category, rules *names.Origins) *Tools {
	table, offered := toolsOf(on)
	return &Tools{nodes: n, tenant: tenant, rules: rules, table: table, offered: offered,
		sessions: map[string]*session{}}
}

// Tools always returns the same tools.
func (t *Tools) Tools(string) []browsertool.Tool { return t.offered }

// ClientGone ends whatever a client has here and at nodes, as soon as no call of the client runs.
func (t *Tools) ClientGone(id string) {
	t.mu.Lock()
	s := t.sessions[id]
	if s == nil || s.calls > 0 {
		if s != nil {
			s.gone = true
		}
		t.mu.Unlock()
		return
	}
	delete(t.sessions, id)
	t.mu.Unlock()
	t.current.Forget(id)
	for node := range s.nodes {
		t.nodes.ClientGone(node, t.client(id))
	}
}

// begins counts a call of a client as running until over is called.
func (t *Tools) begins(id string) (over func()) {
	if id == "" {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sessions[id]
	if s == nil {
		s = &session{nodes: map[string]bool{}}
		t.sessions[id] = s
	}
	s.calls++
	return func() {
		t.mu.Lock()
		s.calls--
		gone := s.gone && s.calls == 0
		t.mu.Unlock()
		if gone {
			t.ClientGone(id)
		}
	}
}

// client returns the name by which nodes know a session. It differs for sessions of different tenants.
func (t *Tools) client(session string) string {
	if session == "" {
		return ""
	}
	return t.tenant + " " + session
}

// call is a tool call that is being carried out.
type call struct {
	*Tools
	browsertool.Call
	tool *automation.Tool
	args map[string]json.RawMessage
}

// Call carries out a tool call.
func (t *Tools) Call(ctx context.Context, c browsertool.Call) registry.Result {
	i := slices.IndexFunc(t.table, func(o *automation.Tool) bool { return o.Name == c.Tool })
	if i < 0 {
		return sanitize.ErrorResult("There is no tool " + sanitize.Text(c.Tool, 100) + ".")
	}
	is := &call{Tools: t, Call: c, tool: t.table[i]}
	if err := json.Unmarshal(c.Args, &is.args); err != nil {
		return sanitize.ErrorResult(err.Error())
	}
	for _, name := range fileArguments {
		if is.args[name] != nil {
			return sanitize.ErrorResult(fmt.Sprintf("Nothing was done: %s names a file, but files can't be read or "+
				"written here, since the browser runs on another machine. Leave %s out%s.", name, name, instead[name]))
		}
	}
	defer t.begins(c.ID)()
	r, err := is.run(ctx)
	if err != nil {
		return is.failed(ctx, err)
	}
	return r
}

func (c *call) run(ctx context.Context) (registry.Result, error) {
	if err := c.keptOut(); err != nil {
		return registry.Result{}, err
	}
	stops := ""
	if c.Tool == "performance_stop_trace" {
		stops = c.tracing()
	}
	if c.Tool == "list_pages" || c.Tool == "new_page" || stops != "" {
		if err := c.judged(ctx, nil); err != nil {
			return registry.Result{}, err
		}
	}
	switch {
	case c.Tool == "list_pages":
		return c.list(ctx)
	case c.Tool == "new_page":
		return c.open(ctx)
	case stops != "":
		return c.stopTrace(ctx, stops)
	}
	tab, err := c.page()
	if err == nil {
		err = c.judged(ctx, tab)
	}
	if err != nil {
		return registry.Result{}, err
	}
	node, _ := pages.Own(string(tab.Page))
	if at := c.tracing(); c.Tool == "performance_start_trace" && at != "" && at != node {
		return registry.Result{}, errors.New("you are recording a trace already, on another machine; " +
			"performance_stop_trace ends it")
	}
	r, err := c.at(ctx, node)
	if c.Tool == "performance_start_trace" && err == nil && !r.IsError {
		c.traces(node, c.args["autoStop"])
	}
	return r, err
}

// judged returns an error if the call may not act on a tab, for example because the gateway's operator has paused the
// client or the tab. tab is nil if the call acts on no tab.
func (c *call) judged(ctx context.Context, tab *registry.Tab) error {
	if c.Judge == nil {
		return nil
	}
	if err := c.Judge(ctx, browsertool.Action{Tab: tab}); err != nil {
		return automation.Refuse(err)
	}
	return nil
}

// keptOut returns an error if the call leads to an address that agents may not open. Nodes don't know about a
// gateway's own pages that are served beyond the gateway's machine.
func (c *call) keptOut() error {
	var url string
	if json.Unmarshal(c.args["url"], &url) != nil || !c.rules.IsOwn("", url) {
		return nil
	}
	return automation.Refuse(errors.New(c.rules.Refusal("", url)))
}

// number returns the number of the page that the call names, or nil if it names none.
func (c *call) number() (id *int, err error) {
	var a struct {
		PageID *int `json:"pageId"`
	}
	if err := schema.Decode(c.Args, &a); err != nil {
		return nil, fmt.Errorf("nothing was done: %w", err)
	}
	return a.PageID, nil
}

// page returns the tab of the page that the call acts on, and passes it to About.
func (c *call) page() (*registry.Tab, error) {
	id, err := c.number()
	if err != nil {
		return nil, err
	}
	means := automation.PageChoice{Now: c.Current(), ID: id, At: c.currentPage(), FocusMode: c.FocusMode, Shown: shown,
		Free: func(registry.PageID) bool { return true }} // the page's node checks that
	if c.FocusMode && id == nil {
		means.Focused = c.Focused()
	}
	tab, err := automation.FindPage(means)
	if err != nil {
		return nil, err
	}
	c.About(tab)
	if kept := c.Refusal(tab); kept != "" {
		return nil, automation.Refuse(errors.New(kept))
	}
	return tab, nil
}

// currentPage returns the client's current page. In focus mode it is the focused one.
func (c *call) currentPage() registry.PageID {
	if c.FocusMode {
		if t := c.Focused(); t != nil {
			return t.Page
		}
		return ""
	}
	return c.current.Of(c.ID)
}

// at makes a node carry out the call, and keeps the client's current page.
func (c *call) at(ctx context.Context, node string) (registry.Result, error) {
	if err := c.offeredBy(node); err != nil {
		return registry.Result{}, automation.Refuse(err)
	}
	a := c.request(node, c.currentPage())
	done, err := c.nodes.Automate(ctx, node, a, c.Progress)
	if err != nil {
		return registry.Result{}, err
	}
	if done.Page != "" && done.Page != a.Page && c.ID != "" {
		c.current.Select(c.ID, registry.PageID(pages.Named(node, done.Page)))
	}
	r := registry.Result{JSON: done.Result, IsError: done.IsError, Ending: done.Ending}
	if r.IsError && r.Ending == "" && ctx.Err() != nil { // the node's text says why
		r.Ending = c.failed(ctx, context.Cause(ctx)).Ending
	}
	return c.withNotices(ctx, node, done, r), nil
}

// offeredBy returns an error if a node is known not to carry out calls of the tool.
func (c *call) offeredBy(node string) error {
	if on, known := c.nodes.Automates(node); known && !slices.Contains(on, string(c.tool.Category)) {
		return fmt.Errorf("the node %s carries out no browser tools of the category %s: it was started without "+
			"--automation, or with other categories", node, c.tool.Category)
	}
	return nil
}

// request returns the request that asks a node to carry out the call. It notes that the node knows the client.
func (c *call) request(node string, current registry.PageID) *api.Automation {
	a := &api.Automation{Tool: c.Tool, Args: sanitize.Encode(c.args), Client: c.client(c.ID), Name: c.Client.Name}
	if at, own := pages.Own(string(current)); at == node {
		a.Page = own
	}
	c.uses(node)
	return a
}

// uses notes that a node knows the client.
func (c *call) uses(node string) {
	if c.ID == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[c.ID].nodes[node] = true
}

// failed returns the result of a call that no node has answered.
func (c *call) failed(ctx context.Context, err error) registry.Result {
	var lost *gateway.NodeLost
	switch {
	case errors.As(err, &lost):
		r := sanitize.ErrorResult(fmt.Sprintf("The node %s, which runs the browser, was lost while %s ran (%s); "+
			"whether it took effect is unknown. list_pages shows which pages there are.", lost.Node, c.Tool,
			sanitize.Text(lost.Why, 300)))
		r.Ending = sanitize.EndingLost
		return r
	case ctx.Err() != nil:
		return gateway.Ended(ctx, c.Tool)
	}
	r := sanitize.ErrorResult(registry.Sentence(err.Error()))
	if errors.As(err, new(automation.Refused)) {
		r.Ending = "refused"
	}
	return r
}
