package main

import (
	"slices"
	"testing"

	"webmcphub/extlink"
	"webmcphub/live"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/trust"
)

// TestPopup: what the popup sets is what the guard refuses, and what all popups are told.
func TestPopup(t *testing.T) {
	const shop = "https://shop.example"
	pauses := &live.Pauses{}
	p := &popup{pauses, trust.New(trust.Options{})}
	told := 0
	pauses.Follow(func() { told++ })
	p.guard.FollowPermissions(func() { told++ })
	for _, problem := range []error{p.SetPaused("", true), p.SetPaused(shop, true), p.SetPermission(shop, "never")} {
		if problem != nil {
			t.Error(problem)
		}
	}
	s := p.status(registry.EmptyCatalog())
	if !s.Paused || !slices.Equal(s.Origins, []string{shop}) || s.Permissions[shop] != "never" || told != 3 {
		t.Errorf("the status is %+v after %d changes", s, told)
	}
	d := calls.Action{Where: calls.Where{Origin: shop, Top: shop}}
	if pauses.Paused(d) == "" || p.guard.Judge(t.Context(), d) == nil {
		t.Error("it may be done")
	}
	if p.SetPaused("null", true) == nil || p.SetPermission("about:blank", "ask") == nil || p.SetPermission(shop, "often") == nil {
		t.Error("nonsense is set")
	}
	for _, problem := range []error{p.SetPaused("", false), p.SetPaused(shop, false), p.SetPermission(shop, "")} {
		if problem != nil {
			t.Error(problem)
		}
	}
	if pauses.Paused(d) != "" || p.guard.Judge(t.Context(), d) != nil {
		t.Error("it may not be done")
	}
}

// TestNoPopup: a hub to which no extension connects has nothing that carries out what is set.
func TestNoPopup(t *testing.T) {
	var p *popup
	p.shownBy(nil, nil)
	if p.agents() != nil {
		t.Error("there is something")
	}
}

// TestPopupIsTheUsers: agents are kept from the pages of the hub's extension.
func TestPopupIsTheUsers(t *testing.T) {
	var none *names.Origins
	if at := "chrome-extension://" + extlink.DefaultID + "/popup.html"; none.Permits(at) || !names.IsLive(at) {
		t.Error("they aren't")
	}
	if names.IsLive("chrome-extension://" + extlink.DefaultID + "x/popup.html") {
		t.Error("they are kept from another extension's")
	}
}
