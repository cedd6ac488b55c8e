package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// serve serves a request of a session.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, what, session string) {
	query := r.URL.Query()
	switch {
	case what == "do" && r.Method == http.MethodPost:
		s.do(w, r, session)
	case what == "drive" && r.Method == http.MethodPost:
		s.drive(w, r, session)
	case r.Method == http.MethodPost:
		s.note(w, http.StatusMethodNotAllowed, "WebMCP Hub", "Nothing is done here.", "./")
	case what == "":
		s.render(w, http.StatusOK, "main", s.page(ReadFilter(query), session))
	case what == "events":
		s.events(w, r, session)
	case what == "watch":
		s.watch(w, ReadFilter(query), session)
	case what == "picture":
		s.picture(w, r, ReadFilter(query), session)
	case what == "try":
		id, _ := strconv.ParseUint(query.Get("call"), 10, 64)
		s.try(w, query.Get("tool"), id, session)
	case what == "export.jsonl":
		s.export(w, ReadFilter(query))
	case what == "export.har":
		s.archive(w, ReadFilter(query))
	default:
		s.note(w, http.StatusNotFound, "There is nothing here", "The live page is one step back.", "./")
	}
}

func titleOf(tenant string) string {
	if tenant == "" {
		return "WebMCP Hub"
	}
	return "WebMCP Hub: " + tenant
}

// page returns what a filter shows to a session.
func (s *Server) page(f Filter, session string) Page {
	f = s.only(f)
	p := Page{Title: titleOf(s.tenant), Tenant: s.tenant, Now: time.Now(), Filter: f,
		Holders: map[registry.TabID]string{}}
	_, p.Pictures = s.hub.(Screener)
	act := func(do, of, label string) Act {
		return Act{Do: do, Of: of, Nonce: s.nonce(session, do, of), Back: f.Query(), Label: label}
	}
	waiting := map[uint64]string{} // IDs of questions, by the calls that wait for the answers
	s.store.ask(func(b *store) {
		p.View = b.state.View(f)
		for id, q := range b.questions {
			p.Questions = append(p.Questions, Question{ID: id, Client: q.Client, Session: q.Session, Text: q.text,
				Legend: q.legend, Since: q.since, Until: q.until, About: q.about, Choices: q.choices, Dates: q.dates,
				Nonce: s.nonce(session, "answer", id)})
			waiting[q.call] = id
		}
	})
	sortQuestions(p.Questions)
	for _, c := range p.View.Running {
		p.Running = append(p.Running, ShownCall{Call: c, Question: waiting[c.ID],
			Stop: act("stop", strconv.FormatUint(c.ID, 10), "Stop")})
	}
	for _, c := range p.View.Calls {
		p.Calls = append(p.Calls, ShownCall{Call: c})
	}
	if c := p.View.Call; c != nil {
		p.Chosen = s.details(*c, p.catalog)
	}
	clients, now := s.clients()
	p.PausedTabs = now.allTabs()
	if p.One != nil {
		p.TabActs = s.tabActs(p.One, p.PausedTabs[p.One.ID], act)
	}
	s.inspect(&p)
	for _, b := range p.Browsers {
		for _, t := range b.Tabs {
			p.Holders[t.ID] = s.hub.ExclusiveHolder(t.Page)
		}
	}
	if s.subject == nil {
		p.addSettings(now, s.hub, act)
	}
	for _, c := range clients {
		p.Clients = append(p.Clients, clientOf(c, now.sessions[c.Session], act))
	}
	return p
}

// addSettings adds the settings for all agents and for sites, and marks the tabs that these settings pause.
func (p *Page) addSettings(now paused, hub Hub, act func(do, of, label string) Act) {
	if now.all {
		p.Settings = append(p.Settings, Setting{"All agents are paused.", act("resume-all", "", "Let agents go on")})
	} else {
		p.Settings = append(p.Settings, Setting{"", act("pause-all", "", "Pause all agents")})
	}
	for _, site := range now.origins() {
		p.Settings = append(p.Settings, Setting{"Agents are paused on " + site + ".",
			act("resume-site", site, "Let agents go on there")})
	}
	if permitter, is := hub.(Permitter); is {
		all := permitter.Permissions()
		for _, site := range slices.Sorted(maps.Keys(all)) {
			p.Settings = append(p.Settings, Setting{fmt.Sprintf("%s: %s", site, permissions[all[site]]),
				act("permit", site, "Take back")})
		}
	}
	p.PausedTabs = maps.Clone(p.PausedTabs)
	if p.PausedTabs == nil {
		p.PausedTabs = map[registry.TabID]bool{}
	}
	for _, b := range p.Browsers {
		for _, t := range b.Tabs {
			if now.all || now.sites[names.ParseAddress(names.SiteOrigin(t.Origin, t.URL))] {
				p.PausedTabs[t.ID] = true
			}
		}
	}
}

// permissions has a sentence for each permission.
var permissions = map[string]string{
	"allow": "agents may act without the rules' questions.",
	"ask":   "you are asked before each call that changes something.",
	"never": "agents may do nothing.",
}

func (s *Server) tabActs(t *Tab, paused bool, act func(do, of, label string) Act) (all []Act) {
	of := strconv.Itoa(int(t.ID))
	if paused {
		all = append(all, act("resume-tab", of, "Let agents use this tab again"))
	} else {
		all = append(all, act("pause-tab", of, "Pause this tab for agents"))
	}
	if t.Connected {
		return append(all, act("disconnect", of, "Disconnect the page"))
	}
	return append(all, act("connect", of, "Connect the page"))
}

func clientOf(c mcpserver.ClientState, paused bool, act func(do, of, label string) Act) Client {
	n := Client{Session: c.Session, Name: c.Name, Revision: c.Revision, Focus: c.Focus, Lists: c.Lists,
		Unheard: c.ListUnread}
	switch {
	case c.View.Mode == view.FocusedTab:
		n.Sees = "the tab in focus"
	case c.View.Unlisted:
		n.Sees = "no page tools in its list"
	default:
		n.Sees = "all tabs; surface " + string(c.View.Surface)
	}
	switch {
	case strings.HasPrefix(c.Session, PersonSession+"-"):
	case paused:
		n.Acts = append(n.Acts, act("resume-client", c.Session, "Let it go on"))
	default:
		n.Acts = append(n.Acts, act("pause-client", c.Session, "Pause"))
	}
	return n
}

// export writes the calls that a filter selects, and what happened in the filter's tab, as JSON Lines. Secrets are
// hidden as on the page. Times are UTC.
func (s *Server) export(w http.ResponseWriter, f Filter) {
	var calls []Call
	var past []Moment
	s.store.ask(func(b *store) { calls, past = b.state.Export(f) })
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="webmcp-hub.jsonl"`)
	out := json.NewEncoder(w)
	write := func(l Line) {
		l.Tenant = s.tenant
		_ = out.Encode(l)
	}
	for _, m := range past {
		write(m.Line(f.Tab))
	}
	for _, c := range calls {
		write(c.Line())
	}
}

// archive writes the calls that a filter selects and that have ended as an HTTP archive. Secrets are hidden as on the
// page.
func (s *Server) archive(w http.ResponseWriter, f Filter) {
	var h HAR
	s.store.ask(func(b *store) { h = b.state.HAR(f, s.hub.Version()) })
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="webmcp-hub.har"`)
	_ = json.NewEncoder(w).Encode(h)
}
