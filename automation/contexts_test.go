package automation

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/automation/automationtest"

	"webmcphub/registry"
)

// A tab that a page of an isolated context opened is in that context: who uses it keeps it when the
// client goes that named the context. When nobody uses it any more, the context ends.
func TestAContextIsKeptForItsPopups(t *testing.T) {
	d := openDesk(t, automationtest.HTML(`<title>One</title>`))
	first := d.opens(`,"isolatedContext":"first"`)
	d.is(first, "!!open('/two?popup', '_blank', 'popup') && 'opened'", "opened")
	var popup *registry.Tab
	d.b.wait(d.b.ctx, func(*registry.Catalog) bool {
		for _, t := range d.catalog(d.b.ctx).Tabs() {
			if strings.HasSuffix(t.URL, "?popup") {
				popup = t
			}
		}
		return popup != nil
	})
	if popup == nil {
		t.Fatal("no popup came")
	}
	access, err := d.b.Debug(popup.Page)
	if err != nil {
		t.Fatal(err)
	}
	if in := d.service.isolated.Of(d.b.ctx, access.Conn, access.Target); in != (ContextID{Client: "1", Name: "first"}) {
		t.Fatalf("it is in %+v", in)
	}
	d.contexts = nil // they aren't asked for any more
	other := *d.agent
	other.client.ID, other.client.Name = "2", "agent 2"
	d.service.selects(&other.client, popup.Page)
	other.says("evaluate_script", `{"function":"() => { kept = 7; return kept }"}`, "7")
	d.service.ClientGone("1")
	other.says("evaluate_script", `{"function":"() => kept"}`, "7")
	d.service.ClientGone("2")
	ctx, cancel := context.WithTimeout(d.b.ctx, time.Minute)
	defer cancel()
	if d.b.wait(ctx, func(*registry.Catalog) bool {
		return !slices.ContainsFunc(d.b.targets(), func(t target) bool { return t.ID == access.Target })
	}) == nil {
		t.Error("the context is still there, though nobody uses it")
	}
}
