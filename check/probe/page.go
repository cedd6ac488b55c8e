package probe

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"webmcphub/cdpclient"
	"webmcphub/check/lint"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

//go:embed probe.js
var probeScript string

// probe is what probe.js reports about a page.
type probe struct {
	URL      string  `json:"url"`
	Title    string  `json:"title"`
	Secure   bool    `json:"secure"`
	Password bool    `json:"password"`
	Status   int     `json:"status"`
	Loaded   float64 `json:"loaded"` // its load event, in ms since 1970
	Forms    []struct {
		Tool        string   `json:"tool"`
		Description string   `json:"description"`
		Autosubmit  bool     `json:"autosubmit"`
		Sensitive   []string `json:"sensitive"`
	} `json:"forms"`
	PlainForms []lint.PlainForm `json:"plainForms"`
	Links      []string         `json:"links"`
}

// look returns everything that the check has seen of the page so far.
func (t *Tab) look(ctx context.Context) (lint.SeenPage, error) {
	page := lint.SeenPage{Asked: t.requested, Waited: t.waited, Busy: t.busy}
	raw, err := t.ask(ctx, probeScript)
	if err != nil {
		return page, fmt.Errorf("%w: it doesn't answer: %w", ErrLoad, err)
	}
	var p probe
	if err := json.Unmarshal(raw, &p); err != nil {
		return page, fmt.Errorf("%w: what it is like can't be read: %w", ErrLoad, err)
	}
	page.URL, page.Title, page.Secure, page.Password = p.URL, p.Title, p.Secure, p.Password
	has, err := t.browser.conn.Evaluate(ctx, t.session, `typeof document.modelContext === "object"`) // a polyfill puts it into the page's world only
	if err != nil {
		return page, fmt.Errorf("%w: it doesn't answer: %w", ErrLoad, err)
	}
	page.WebMCP = string(has) == "true"
	for _, f := range p.Forms {
		page.Forms = append(page.Forms, lint.Form(f))
	}
	page.PlainForms, page.Links = p.PlainForms, p.Links
	t.readHub(&page)
	t.locate(page.Tools)
	t.browser.conn.Post(t.session, storageTrackIndexedDB, map[string]any{"origin": page.Origin}, nil)
	page.Changes = t.changes()
	page.Registrations = t.registrations(p.Loaded)
	if why := t.browser.whose().Of(page, p.Status); why != "" {
		return page, fmt.Errorf("%w: %s", ErrLoad, why)
	}
	page.Legacy = t.legacy(ctx)
	return page, nil
}

// readHub reads the page's tools from the hub's catalog.
func (t *Tab) readHub(page *lint.SeenPage) {
	tab := t.browser.catalogs.current.Load().Tab(t.page)
	if tab == nil {
		return
	}
	page.Origin = tab.Origin
	for _, tool := range tab.Tools {
		page.Tools = append(page.Tools, t.tool(tool))
	}
	for _, r := range tab.Refused {
		page.Refused = append(page.Refused, lint.Refusal(r))
	}
}

// locate adds the lines where tools were registered.
func (t *Tab) locate(tools []lint.Tool) {
	tab, lines := t.browser.catalogs.current.Load().Tab(t.page), t.tape.lines()
	if tab == nil || len(tab.Tools) != len(tools) { // the page's tools have changed meanwhile
		return
	}
	for i := range tools {
		tools[i].Line = lines[t.idOf(tab.Tools[i].Source())]
	}
}

// tool returns a tool as its page registered it.
func (t *Tab) tool(hub *registry.HubTool) lint.Tool {
	s := hub.Source()
	a := s.Annotations
	is, _ := t.frames.announced(t.idOf(s))
	return lint.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: s.InputSchema,
		OutputSchema: s.OutputSchema,
		Hints: lint.Hints{ReadOnly: a.ReadOnly, Consequential: a.Consequential, Untrusted: a.Untrusted,
			Destructive: a.Destructive, Idempotent: a.Idempotent, OpenWorld: a.OpenWorld},
		Source: lint.Source{
			Runtime: string(s.Runtime), Origin: hub.Origin(), Script: s.Script,
			Frame: s.Frame != "" && s.Frame != offer.FrameID(t.page),
			Form:  s.Runtime == offer.Form || s.Runtime == offer.Native && is.form != 0 && is.session == t.session,
		},
	}
}

// changes returns the tools that came and went.
func (t *Tab) changes() (all []lint.Change) {
	for _, e := range t.tape.since(0) {
		added, removed := toolsOf(e)
		for _, tool := range added {
			all = append(all, lint.Change{Tool: tool.Name, Added: true})
		}
		for _, tool := range removed {
			all = append(all, lint.Change{Tool: tool.Name})
		}
	}
	return all
}

// registrations returns what recorder.js reported. loaded is when the page had loaded, in ms since 1970, by
// recorder.js's clock.
func (t *Tab) registrations(loaded float64) (all []lint.Registration) {
	for _, e := range t.tape.since(0) {
		var called cdpclient.BindingCalled
		if e.Method != cdpclient.RuntimeBindingCalled || json.Unmarshal(e.Params, &called) != nil ||
			called.Name != binding {
			continue
		}
		var r struct {
			lint.Registration
			At float64 `json:"at"`
		}
		if json.Unmarshal([]byte(called.Payload), &r) == nil {
			r.After = time.Duration((r.At - loaded) * float64(time.Millisecond))
			all = append(all, r.Registration)
		}
	}
	return all
}

// maxScripts limits how many scripts of a page legacy searches.
const maxScripts = 50

// legacy returns the addresses of the page's scripts that use WebMCP's former name and not its current one.
func (t *Tab) legacy(ctx context.Context) (all []string) {
	var tree struct {
		FrameTree struct {
			Frame     cdpclient.Frame `json:"frame"`
			Resources []struct {
				URL  string `json:"url"`
				Type string `json:"type"`
			} `json:"resources"`
		} `json:"frameTree"`
	}
	if t.browser.conn.Call(ctx, t.session, "Page.getResourceTree", nil, &tree) != nil {
		return nil
	}
	frame := tree.FrameTree.Frame
	addresses := []string{frame.URL}
	for _, r := range tree.FrameTree.Resources {
		if r.Type == "Script" && len(addresses) < maxScripts {
			addresses = append(addresses, r.URL)
		}
	}
	has := func(address, text string) bool {
		var found struct{ Result []json.RawMessage }
		params := map[string]any{"frameId": frame.ID, "url": address, "query": text}
		return t.browser.conn.Call(ctx, t.session, "Page.searchInResource", params, &found) == nil &&
			len(found.Result) > 0
	}
	for _, address := range addresses {
		if has(address, "navigator.modelContext") && !has(address, "document.modelContext") {
			all = append(all, address)
		}
	}
	return all
}
