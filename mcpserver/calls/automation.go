package calls

import (
	"context"
	"encoding/json"
	"errors"

	"webmcphub/internal/browsertool"
	"webmcphub/mcpserver/arguments"
	"webmcphub/mcpserver/view"
	"webmcphub/mcpserver/wire"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/sanitize"
)

// Automation provides tools that read and operate any page, even one without tools. Any goroutine may call its
// methods.
type Automation interface {
	// Tools returns the tools for clients with these categories, see [view.Settings.Automation]. They never change.
	Tools(categories string) []browsertool.Tool
	// Call carries out a call. It returns soon after ctx ends.
	Call(ctx context.Context, call browsertool.Call) registry.Result
	// ClientGone reports that a client's session has ended.
	ClientGone(session string)
}

// replacedTabTools are the core tools that Automation's tools replace in the list of a client that sees all tabs, so
// that the list has no two tools for the same thing.
var replacedTabTools = []string{focus.ListTabs, focus.OpenTab, focus.CloseTab, focus.FocusOnTab}

// automationTools turns Automation's tools of these categories into tools of the hub, and returns which of them are
// about tabs.
func (s *Handler) automationTools(categories string) (all []staticTool, ofTabs map[string]bool) {
	if s.options.Automation == nil {
		return nil, nil
	}
	ofTabs = map[string]bool{}
	for _, t := range s.options.Automation.Tools(categories) {
		all = append(all, staticTool{focus.Tool{Name: t.Name, InputSchema: t.Input, Encoded: t.Encoded},
			func(ctx context.Context, c ToolCall) wire.Reply {
				return s.automate(ctx, c, t)
			}})
		if t.Tabs {
			ofTabs[t.Name] = true
		}
	}
	return all, ofTabs
}

func (s *Handler) automate(ctx context.Context, c ToolCall, t browsertool.Tool) wire.Reply {
	args, wrong := arguments.Object(c.Args)
	if wrong == "" {
		args = t.Arguments(args)
		wrong = s.schemas.Check(t.Input, args)
	}
	if wrong != "" {
		return done(sanitize.ErrorResult(wrong))
	}
	if refused := c.prepared(ctx, s, t); refused != nil {
		return *refused
	}
	if !t.OwnTime {
		watch := wire.StartClock(c.Client.View.Settings().CallTimeout, c.Cancel)
		defer watch.Stop()
		c.Client.Conn.Limited(c.Request, watch)
		c.Client.Conn.Changing(c.Request)
	}
	j := authorization{handler: s, call: c, tool: t, args: args}
	var judge func(context.Context, browsertool.Action) error
	if s.options.Trust != nil {
		judge = j.judge
	}
	r := s.options.Automation.Call(ctx, browsertool.Call{
		Tool: t.Name, Args: args,
		Client: browsertool.Client{
			ID: c.Client.Session(), Name: c.Client.Name(), FocusMode: c.Client.View.Settings().Mode == view.FocusedTab,
			Current: s.Current.Catalog,
			Catalog: func(ctx context.Context) *registry.Catalog { return s.Current.Catalog().WithTitles(s.titles(ctx, c)) },
			Await:   s.Current.Await,
			Refusal: func(tab *registry.Tab) string { return s.Leases.Refusal(tab, tab.Page, c.Client) },
			Focused: func() *registry.Tab { shown, _ := c.Client.View.Shown(); return shown.Tab },
			Roots:   c.roots,
		},
		Progress: c.progress.Now,
		About:    j.about,
		Judge:    judge,
		Reads:    j.reads,
	})
	c.record.answered(r)
	return done(j.answered(sanitize.LimitResult(r, s.options.MaxResult, false)))
}

// prepared gets a browser for a tool that needs one, and returns nil. If there is none, it returns the answer that
// says why.
func (c ToolCall) prepared(ctx context.Context, s *Handler, t browsertool.Tool) *wire.Reply {
	if t.OwnTime {
		return nil
	}
	if err := c.needBrowser(ctx, s); err != nil {
		return new(failed(err))
	}
	if shown, _ := c.Client.View.Shown(); shown.State == focus.Disconnected {
		return new(failed(focus.RefuseCoreTool(shown.State, shown.Catalog, t.Name, s.VisibleToolsFor(c.Client))))
	}
	return nil
}

// roots asks the client for the folders in which it lets servers work.
func (c ToolCall) roots(ctx context.Context) ([]string, error) {
	if _, answers := c.Client.Answers(sanitize.MethodRoots); !answers {
		return nil, errors.New("the client declares no roots")
	}
	answer, err := c.Client.Conn.Ask(ctx, sanitize.MethodRoots, json.RawMessage("{}"), c.Request)
	if err != nil {
		return nil, err
	}
	var list struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	var roots []string
	for _, r := range list.Roots {
		roots = append(roots, r.URI)
	}
	return roots, nil
}
