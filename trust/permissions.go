package trust

import (
	"fmt"
	"slices"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust/approvals"
)

// Permissions returns what the user has chosen for whole sites, by their origins.
func (g *Guard) Permissions() map[string]approvals.Permission {
	g.asking.mu.Lock()
	defer g.asking.mu.Unlock()
	all := map[string]approvals.Permission{}
	for _, l := range g.asking.book.Permissions() {
		all[l.Origin] = l.Permission()
	}
	return all
}

// Permit sets what the user has chosen for a whole site: a [approvals.Permission]. It returns an error if there is no
// such permission, or if no rule could name the origin.
func (g *Guard) Permit(origin, permission string) error {
	p := approvals.Permission(permission)
	at := names.ParseAddress(origin)
	switch {
	case at == (names.Origin{}) || !names.Plain(at.String()):
		return fmt.Errorf("%.100q is not a site's origin", origin)
	case !slices.Contains([]approvals.Permission{approvals.Default, approvals.Allow, approvals.Ask, approvals.Never}, p):
		return fmt.Errorf("%.100q is not a permission", permission)
	}
	l := approvals.NewPermission(at.String(), p, time.Now())
	done := g.asking.change()
	before, was := g.asking.book.Permit(l)
	if kept := g.options.Answers; kept != nil { // under the lock, so that the file gets choices in order
		if was {
			before.Given = l.Given // the time of the removal, so that it also removes what another hub chose before it
			kept.Remove(before)
		}
		if p != approvals.Default {
			kept.Keep(l)
		}
	}
	done()
	g.permissionsChanged()
	return nil
}

// FollowPermissions calls changed whenever permissions have changed. changed must not block.
func (g *Guard) FollowPermissions(changed func()) {
	g.asking.mu.Lock()
	defer g.asking.mu.Unlock()
	g.followers = append(g.followers, changed)
}

func (g *Guard) permissionsChanged() {
	g.asking.mu.Lock()
	followers := g.followers
	g.asking.mu.Unlock()
	for _, changed := range followers {
		changed()
	}
}

// revoke takes answers back.
func (g *Guard) revoke(all []approvals.Lasting) {
	g.asking.revoke(all)
	if slices.ContainsFunc(all, func(l approvals.Lasting) bool { return l.Permission() != approvals.Default }) {
		g.permissionsChanged()
	}
}

// chosen reports whether there are permissions for sites.
func (a *asking) chosen() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.book.HasPermissions()
}

// permission returns the permission for an action, and the reason to ask or refuse that follows from it.
func (a *asking) permission(d calls.Action) (approvals.Permission, reason) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.book.HasPermissions() {
		return approvals.Default, reason{}
	}
	l := a.book.PermissionOf(d.Sites(), d.Anyones)
	r := reason{by: "rule", permission: true}
	switch l.Permission() {
	case approvals.Ask:
		r.advice = ` "Allow" in the extension's popup`
		r.why = fmt.Sprintf(`the user has chosen "Ask" for %s in the extension's popup`, l.Origin)
	case approvals.Never:
		r.advice = ` another choice in the extension's popup, or "webmcp-hub rules revoke"`
		r.why = fmt.Sprintf(`the user has chosen "Never" for %s in the extension's popup. Only the user can change that`,
			l.Origin)
	}
	return l.Permission(), r
}

// acts reports whether the guard asks before an action on a site with the permission [approvals.Ask]. It asks before
// the same actions as the preset careful.
func acts(d calls.Action) bool {
	return d.Class != calls.ReadOnly && (d.Kind != calls.BrowserTool || d.Name != "select_page")
}
