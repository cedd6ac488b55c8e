package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// judging is a call of a browser tool: what was judged of it.
type judging struct {
	handler *Handler
	call    ToolCall
	tool    AutomationTool
	args    json.RawMessage
	deed    Deed
	refused *Refusal
	read    []string        // the origins of documents that it was judged for
	page    registry.PageID // where it acts, or "" so far
	frames  []string        // see Where.Frames
}

// reads is an [AutomationCall].Reads.
func (j *judging) reads(origins []string) { j.frames = origins }

// about is an [AutomationCall].About.
func (j *judging) about(tab *registry.Tab) {
	j.call.record.in(tab)
	if tab != nil {
		j.page = tab.Page
	}
}

// judge is an [AutomationCall].Judge.
func (j *judging) judge(ctx context.Context, tab *registry.Tab, frame, to string) error {
	j.deed, j.refused = j.handler.judgeTab(ctx, j.call, j.tool.Name, j.tool.Class, tab, frame, to, j.args)
	if j.refused != nil {
		return j.refused
	}
	if tab != nil && !slices.Contains(j.read, j.deed.Origin) {
		j.read = append(j.read, j.deed.Origin)
	}
	return nil
}

// answered is the answer to the call that has that result.
func (j *judging) answered(r registry.Result) registry.Result {
	switch {
	case j.refused != nil && (r.IsError || j.refused.Input != nil): // else a part of it was done, and it says which
		return *j.refused.result()
	case j.deed.Kind == "": // it was not judged
		return j.handler.answered(j.call, j.deed, nil, r)
	}
	if now := j.handler.Current.Catalog().Tab(j.page); now != nil { // it may have navigated
		if no := j.elsewhere(now); no != nil {
			return *no
		}
		j.deed.Where = ofTab(now, j.deed.To)
	}
	j.deed.Frames = append(j.read, j.frames...) // it may have told of where it was before
	return j.handler.answered(j.call, j.deed, nil, r)
}

// elsewhere is the answer to a call that has been done, and whose result may tell of a site
// that the client may not read: where its page has gone meanwhile. Nobody is asked about it,
// as the call can't be done again.
func (j *judging) elsewhere(now *registry.Tab) *registry.Result {
	at := ofTab(now, "")
	if slices.Contains(j.read, at.Origin) || j.deed.To != "" && names.DocumentOrigin("", j.deed.To) == at.Origin {
		return nil
	}
	d := j.deed
	d.Where, d.Class, d.Args, d.Ask, d.Rounds = at, ReadOnly, nil, nil, nil
	no := j.handler.options.Trust.Judge(j.call.Request.Ctx, d)
	if no == nil {
		return nil
	}
	r := sanitize.ErrorResult(fmt.Sprintf("%s was carried out, and its page is at %s now. What that shows is not told: %s", j.tool.Name, cmp.Or(at.Origin, "another document"), no.Text))
	return &r
}
