package main

import (
	"sync"

	"webmcphub/actors"
	"webmcphub/live"
	"webmcphub/mcpserver"
	"webmcphub/registry"
	"webmcphub/trust"
)

// popup carries out what the user sets for agents in an extension's popup. It implements [actors.Agents]. A nil popup is
// that of a hub to which no extension connects.
type popup struct {
	pauses *live.Pauses
	guard  *trust.Guard
}

// SetPaused implements [actors.Agents].
func (p *popup) SetPaused(origin string, paused bool) error {
	if origin != "" {
		return p.pauses.PauseSite(origin, paused)
	}
	p.pauses.PauseAll(paused)
	return nil
}

// SetPermission implements [actors.Agents].
func (p *popup) SetPermission(origin, permission string) error {
	return p.guard.Permit(origin, permission)
}

// agents returns p, or nil if there is no popup.
func (p *popup) agents() actors.Agents {
	if p == nil {
		return nil
	}
	return p
}

// shownBy makes a hub tell extensions what is set, now and after each change.
func (p *popup) shownBy(hub *actors.Hub, server *mcpserver.Server) {
	if p == nil {
		return
	}
	var mu sync.Mutex // the newest status is sent last
	show := func() {
		mu.Lock()
		defer mu.Unlock()
		hub.ShowAgentStatus(p.status(server.Catalog()))
	}
	p.pauses.Follow(show)
	p.guard.FollowPermissions(show)
	show()
}

func (p *popup) status(now *registry.Catalog) (s actors.AgentStatus) {
	var paused map[registry.TabID]bool
	s.Paused, s.Origins, paused = p.pauses.PausedNow()
	for _, tab := range now.Tabs() {
		if paused[tab.ID] {
			s.Pages = append(s.Pages, tab.Page)
		}
	}
	s.Permissions = map[string]string{}
	for origin, permission := range p.guard.Permissions() {
		s.Permissions[origin] = string(permission)
	}
	return s
}
