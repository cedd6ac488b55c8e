package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/cluster/replica"
	"webmcphub/cluster/wire"
	"webmcphub/mcpserver"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Nodes are the nodes as a room's browser tools reach them. Any goroutine may call its methods.
type Nodes struct{ room *room }

// NodeLost says that a node was lost while it carried something out, which may have had its effect.
type NodeLost struct{ Node, Why string }

func (e *NodeLost) Error() string { return "the node " + e.Node + " was lost: " + e.Why }

// maxProgress is how many bytes a node may say of how far a call is; more is left out.
const maxProgress = 4 << 10

// Automate has a node carry out a call of a browser tool, in what the room's tenant sees of its browsers, and
// returns when there is an outcome, or ctx has ended. The error may be a [NodeLost].
func (n Nodes) Automate(ctx context.Context, node string, a wire.Automation,
	progress func(what string)) (done wire.Automated, err error) {
	c := caller{n.room}
	_, of := c.visible(nil)
	lives := map[string]string{}
	if c.leasing {
		lives = c.livesOf(node, of[node])
	}
	now := c.current.Load()
	for _, b := range now.Browsers() {
		if at, own := replica.Own(b.Name); at == node && slices.Contains(of[node], own) {
			a.Browsers = append(a.Browsers, wire.Sight{Browser: own, Labels: b.Labels, Life: lives[own]})
		}
	}
	for _, t := range now.Tabs() {
		if at, own := replica.Own(string(t.Page)); at == node && t.ID != replica.Number(t.Page) {
			if a.Numbers == nil {
				a.Numbers = map[string]int{}
			}
			a.Numbers[own] = int(t.ID)
		}
	}
	f := &flight{kind: wire.Automate, body: &a, words: lastWords}
	if progress != nil {
		a.Progress = true
		f.progress = func(params json.RawMessage) {
			var what string
			if len(params) <= maxProgress && json.Unmarshal(params, &what) == nil {
				progress(sanitize.Text(what, maxProgress))
			}
		}
	}
	result, err := n.carryOut(ctx, node, f)
	if err != nil {
		return done, err
	}
	if err := wire.Read(result, &done); err != nil {
		return done, &NodeLost{node, "its answer can't be read"}
	}
	r, ok := resultOf(done.Result, done.IsError, done.Ending)
	if !ok {
		return done, &NodeLost{node, "its answer can't be read"}
	}
	done.Ending = r.Ending
	return done, nil
}

// carryOut has a node carry something out. The error may be a [NodeLost].
func (n Nodes) carryOut(ctx context.Context, node string, f *flight) (json.RawMessage, error) {
	o := n.room.fly(ctx, node, f)
	if o.lost != "" {
		return nil, &NodeLost{node, o.lost}
	}
	return o.result, o.err
}

// lastWords is how long a node may take to say what became of a call that was given up.
const lastWords = 2 * time.Second

// Automates are the categories of browser tools that a node carries out; known says that it has said so.
func (n Nodes) Automates(node string) (categories []string, known bool) {
	t := n.room.talkWith(node)
	if t == nil {
		return nil, false
	}
	said := t.automates.Load()
	if said == nil {
		return nil, false
	}
	return *said, true
}

const (
	// retells is how long a gateway waits until it tells a node once more that a client is gone.
	retells = 2 * time.Second
	// forgets is when a node has noticed that by itself.
	forgets = 2 * time.Minute
)

// ClientGone tells a node that a client is gone that has used browser tools there. It returns at once.
func (n Nodes) ClientGone(node, client string) {
	ctx, cancel := context.WithTimeout(n.room.ctx, forgets)
	go func() {
		defer cancel()
		for n.room.talkWith(node) != nil &&
			n.room.ask(ctx, node, &flight{kind: wire.ClientGone, body: wire.Gone{Client: client}}, nil) != nil {
			select {
			case <-time.After(retells):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// several offers the tools of several as one [mcpserver.Automation].
type several struct {
	all []mcpserver.Automation
	of  map[string]mcpserver.Automation // by tool
}

func together(all ...mcpserver.Automation) several {
	s := several{all, map[string]mcpserver.Automation{}}
	for _, a := range all {
		for _, t := range a.Tools() {
			s.of[t.Name] = a
		}
	}
	return s
}

// Tools are always the same.
func (s several) Tools() (tools []mcpserver.AutomationTool) {
	for _, a := range s.all {
		tools = append(tools, a.Tools()...)
	}
	return tools
}

// Call carries a call out.
func (s several) Call(ctx context.Context, call mcpserver.AutomationCall) registry.Result {
	return s.of[call.Name].Call(ctx, call)
}

// ClientGone says that a client's session is over.
func (s several) ClientGone(session string) {
	for _, a := range s.all {
		a.ClientGone(session)
	}
}

// automation are the browser tools of a room and those by which it has browsers; nil for none.
func (r *room) automation() mcpserver.Automation {
	var all []mcpserver.Automation
	if r.options.Automation != nil {
		all = append(all, r.options.Automation(Nodes{r}, r.tenant))
	}
	if r.options.Store != nil {
		all = append(all, lending{r})
	}
	if all == nil {
		return nil
	}
	return together(all...)
}
