package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/pages"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/sanitize"
)

// Nodes gives a tenant's browser tools and live page access to the nodes. Any goroutine may call its methods.
type Nodes struct{ tenant *tenantServer }

// maxProgress is how many bytes a node may send about the progress of a call. A longer text is left out.
const maxProgress = 4 << 10

// Automate makes a node carry out a call of a browser tool. The call sees only the browsers of the node that the
// tenant sees. Automate returns when there is an outcome, or when ctx has ended. The error may be a [NodeLost].
func (n Nodes) Automate(ctx context.Context, node string, a *api.Automation,
	progress func(what string)) (*api.Automated, error) {
	c := caller{n.tenant}
	_, of := c.visible(nil)
	lives := map[string]string{}
	if c.leasing {
		lives = c.livesOf(node, of[node])
	}
	now := c.server.Catalog()
	for _, b := range now.Browsers() {
		if at, own := pages.Own(b.Name); at == node && slices.Contains(of[node], own) {
			a.Browsers = append(a.Browsers, &api.VisibleBrowser{Browser: own, Labels: b.Labels, Life: lives[own]})
		}
	}
	for _, t := range now.Tabs() {
		if at, own := pages.Own(string(t.Page)); at == node && t.ID != pages.Number(t.Page) {
			if a.Numbers == nil {
				a.Numbers = map[string]int64{}
			}
			a.Numbers[own] = int64(t.ID)
		}
	}
	p := &pending{words: lastWords, start: &api.CallRequest_Start{What: &api.CallRequest_Start_Automation{Automation: a}}}
	if progress != nil {
		p.progress = func(params json.RawMessage) {
			var what string
			if len(params) <= maxProgress && json.Unmarshal(params, &what) == nil {
				progress(sanitize.Text(what, maxProgress))
			}
		}
	}
	result, err := n.tenant.call(ctx, node, p)
	if err != nil {
		return nil, err
	}
	done := result.GetAutomated()
	r, ok := resultOf(result.GetJson(), done.GetIsError(), done.GetEnding())
	if !ok || done == nil {
		return nil, &NodeLost{node, "its answer can't be read"}
	}
	done.Result, done.Ending = r.JSON, r.Ending
	return done, nil
}

// lastWords is how long a node may take to report the outcome of a cancelled call.
const lastWords = 2 * time.Second

// Automates returns the categories of browser tools that a node carries out. known is false if the node hasn't
// reported them yet.
func (n Nodes) Automates(node string) (categories []string, known bool) {
	s := n.tenant.sessionWith(node)
	if s == nil {
		return nil, false
	}
	reported := s.automates.Load()
	if reported == nil {
		return nil, false
	}
	return *reported, true
}

const (
	// resendAfter is how long a gateway waits before it tells a node again that a client is gone.
	resendAfter = 2 * time.Second
	// resendFor is how long a gateway tries. After that time the node has noticed by itself.
	resendFor = 2 * time.Minute
)

// ClientGone tells a node that a client which has used browser tools there is gone. It returns at once.
func (n Nodes) ClientGone(node, client string) { go n.clientGone(node, client) }

// clientGone tells the node, and tries again while the gateway has a session with the node, at most for resendFor.
func (n Nodes) clientGone(node, client string) {
	ctx, cancel := context.WithTimeout(n.tenant.ctx, resendFor)
	defer cancel()
	for s := n.tenant.sessionWith(node); s != nil; s = n.tenant.sessionWith(node) {
		if _, err := n.tenant.asks(node).ClientGone(ctx, &api.ClientGoneRequest{Client: client}); err == nil {
			return
		}
		select {
		case <-time.After(resendAfter):
		case <-s.over:
		case <-ctx.Done():
			return
		}
	}
}

// automation returns a tenant's browser tools and its tools for leasing browsers, or nil if it has neither.
func (r *tenantServer) automation() (all calls.Automation) {
	if r.options.Automation != nil {
		all = r.options.Automation(Nodes{r}, r.tenant)
	}
	if r.options.Store != nil {
		all = leaseTools{r, all}
	}
	return all
}
