package calls

import (
	"context"
	"encoding/json"
	"slices"

	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/focus"
	"webmcphub/registry/names"
)

// judgeTab asks Trust whether one of the hub's own tools may act on a tab, or open one.
func (s *Handler) judgeTab(ctx context.Context, c ToolCall, name string, class Class, tab *registry.Tab, to string,
	args json.RawMessage) (d Action, refused *Refusal) {
	if s.options.Trust == nil {
		return d, nil
	}
	d = s.ofAutomation(c, name, class, browsertool.Action{Tab: tab, To: to}, args)
	return d, s.judgeIn(ctx, c, tab, d)
}

// hides reports whether Trust forbids the client to read a tab in a list of tabs.
func (s *Handler) hides(ctx context.Context, c ToolCall, tab *registry.Tab) bool {
	is := names.Whose(tab.Origin, tab.URL)
	if s.options.Trust == nil || slices.Equal(is, []string{names.OpaqueOrigin}) {
		return false
	}
	return s.options.Trust.Judge(ctx,
		s.ofAutomation(c, focus.ListTabs, ReadOnly,
			browsertool.Action{Tab: tab, Frame: is[0], Around: is[1:], Stage: browsertool.StageRead}, c.Args)) != nil
}

// ofAutomation returns the Action of one of the hub's own tools.
func (s *Handler) ofAutomation(c ToolCall, name string, class Class, does browsertool.Action,
	args json.RawMessage) Action {
	d := Action{Who: s.who(c.Client, c.Request, c.record), Where: ofTab(does.Tab, does.To), Args: args,
		Stage: does.Stage,
		What: What{Kind: BrowserTool, Name: name, HubName: name, Class: class,
			Definition: func() string { return name }, Anywhere: does.Anywhere, Emulated: does.Emulated, On: does.On}}
	if does.Frame != "" {
		d.Origin, d.Address, d.Around, d.Anyones = does.Frame, "", does.Around, len(does.Around) == 0 &&
			anyones(does.Frame, "")
	}
	if does.Stage == browsertool.StageRead {
		d.Class = ReadOnly
	}
	return d
}

// judgeIn asks Trust about an action of one of the hub's own tools in a tab, or without a tab if tab is nil.
func (s *Handler) judgeIn(ctx context.Context, c ToolCall, tab *registry.Tab, d Action) (refused *Refusal) {
	if tab != nil {
		d.Ended = s.once(func(c *registry.Catalog) bool {
			now := c.Tab(tab.Page)
			return now == nil || now.Document() != tab.Document()
		})
	}
	if refused = s.options.Trust.Judge(ctx, d); refused != nil || tab == nil {
		return refused
	}
	// The tab may have changed while a person was asked.
	now := s.Current.Catalog().Tab(tab.Page)
	switch kept := s.Leases.Refusal(now, tab.Page, c.Client); {
	case now == nil || now.Document() != tab.Document():
		refused = &Refusal{Text: d.Name + " was not carried out: its tab shows another page than when the call was " +
			"allowed, or was closed. Look at the page again."}
	case kept != "":
		refused = &Refusal{Text: d.Name + " was not carried out: " + kept + "."}
	}
	return refused
}

// authorization holds the decisions about one call of a browser tool.
type authorization struct {
	handler *Handler
	call    ToolCall
	tool    browsertool.Tool
	args    json.RawMessage
	action  Action
	refused *Refusal
	read    []string        // the origins of the documents for which the call was allowed
	page    registry.PageID // the page on which the call acts; "" while it is unknown
	frames  []string        // see Where.Frames
}

// reads implements [browsertool.Call].Reads.
func (j *authorization) reads(origins []string) { j.frames = origins }

// about implements [browsertool.Call].About.
func (j *authorization) about(tab *registry.Tab) {
	j.call.record.in(tab)
	if tab != nil {
		j.page = tab.Page
	}
}

// judge implements [browsertool.Call].Judge.
func (j *authorization) judge(ctx context.Context, does browsertool.Action) error {
	d := j.handler.ofAutomation(j.call, j.tool.Name, ClassOf(j.tool.ReadOnly, j.tool.Destructive), does, j.args)
	if does.Stage >= browsertool.StageAct {
		if no := j.handler.options.Trust.Judge(ctx, d); no != nil {
			return no
		}
		return nil
	}
	if j.refused != nil { // a refusal is final
		return j.refused
	}
	j.action = d
	if j.refused = j.handler.judgeIn(ctx, j.call, does.Tab, d); j.refused != nil {
		return j.refused
	}
	if does.Tab != nil && !slices.Contains(j.read, d.Origin) {
		j.read = append(j.read, d.Origin)
	}
	return nil
}

// answered returns the client's answer for the tool's result r.
func (j *authorization) answered(r registry.Result) registry.Result {
	switch {
	case j.refused != nil && r.IsError: // else r says which part was carried out
		return *resultOf(j.refused)
	case j.action.Kind == "": // nothing had to be decided
		return j.handler.answered(j.call, j.action, nil, r)
	}
	if now := j.handler.Current.Catalog().Tab(j.page); now != nil { // the page may have navigated
		j.action.Where = ofTab(now, j.action.To)
	}
	j.action.Frames = append(j.read, j.frames...) // the result may contain text of the page's earlier documents
	return j.handler.answered(j.call, j.action, nil, r)
}
