package automate

import (
	"context"
	"encoding/json"

	"webmcphub/automation"
	"webmcphub/registry"
)

// traces notes that a node records a trace for the client. A later call ends the trace.
func (c *call) traces(node string, autoStop json.RawMessage) {
	if c.ID == "" || string(autoStop) != "false" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[c.ID].trace = node
}

// tracing returns the node that records a trace for the client, or "".
func (c *call) tracing() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[c.ID]; s != nil {
		return s.trace
	}
	return ""
}

// stopTrace ends the trace that a node records for the client, even if the call names a page of another node: a client
// has only one trace.
func (c *call) stopTrace(ctx context.Context, node string) (registry.Result, error) {
	id, err := c.number()
	if err != nil {
		return registry.Result{}, err
	}
	if id != nil {
		if _, err := automation.FindPage(automation.PageChoice{Now: c.Current(), ID: id, Shown: shown}); err != nil {
			return registry.Result{}, err
		}
		delete(c.args, "pageId")
	}
	r, err := c.at(ctx, node)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sessions[c.ID]; s != nil {
		s.trace = ""
	}
	return r, err
}

// shown returns a tab's address for errors.
func shown(t *registry.Tab) string { return t.Address.Shown(100) }
