package extbrowser

import (
	"maps"

	"webmcphub/extlink"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Agents carries out what the user sets for agents in an extension's popup. Its methods must not block. An error says
// why nothing was set.
type Agents interface {
	// SetPaused pauses agents on one site, or all agents if origin is "", or lets them go on.
	SetPaused(origin string, paused bool) error
	// SetPermission sets the permission for a site: "allow", "ask", "never", or "" for what the hub's rules say.
	SetPermission(origin, permission string) error
}

// AgentStatus has everything that the user has set for agents.
type AgentStatus struct {
	Paused      bool // all agents are paused
	Origins     []string
	Pages       []registry.PageID // that are paused by themselves
	Permissions map[string]string // by origin
}

// setPaused and setPermission carry out what the user has set in a popup.
func (a *Actor) setPaused(l *connection, m extlink.SetPaused) {
	if a.agents != nil {
		a.set(l, "paused", a.agents.SetPaused(m.Origin, m.Paused))
	}
}

func (a *Actor) setPermission(l *connection, m extlink.SetPermission) {
	permission := m.Permission
	if permission == "default" {
		permission = ""
	}
	if a.agents != nil {
		a.set(l, m.Permission, a.agents.SetPermission(m.Origin, permission))
	}
}

// set logs what the user has set. If err says that it was not set, set sends the popup what holds.
func (a *Actor) set(l *connection, what string, err error) {
	if err == nil {
		a.Log.Info("the user has set something for agents in the extension's popup", "what", what, "browser", l.String())
		return
	}
	a.Log.Warn("what the user has set for agents in the extension's popup doesn't hold", "what", what, "why",
		sanitize.Text(err.Error(), 300))
	a.showStatus(l)
}

// showStatus tells a browser what is set for agents, if its popup shows that.
func (a *Actor) showStatus(l *connection) {
	if a.agents == nil || !l.ready || !l.about.AgentStatus {
		return
	}
	o := extlink.AgentStatus{Paused: a.status.Paused, PausedOrigins: append([]string{}, a.status.Origins...),
		PausedTabs: []extlink.TabID{}, Permissions: map[string]string{}}
	maps.Copy(o.Permissions, a.status.Permissions)
	for _, page := range a.status.Pages {
		if t := l.tabs.Get(page); t != nil {
			o.PausedTabs = append(o.PausedTabs, t.Shown.ID)
		}
	}
	l.conn.Send(o)
}
