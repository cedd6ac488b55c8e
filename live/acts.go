package live

import (
	"bytes"
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

func sortQuestions(all []Question) {
	slices.SortFunc(all, func(a, b Question) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID)) })
}

// do carries out what a form of the page asks for.
func (s *Server) do(w http.ResponseWriter, r *http.Request, session string) {
	if err := r.ParseForm(); err != nil {
		s.note(w, http.StatusBadRequest, "The form can't be read", sanitize.Text(err.Error(), 200), "./")
		return
	}
	do, of := r.PostForm.Get("do"), r.PostForm.Get("of")
	if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("nonce")), []byte(s.nonce(session, do, of))) != 1 {
		s.note(w, http.StatusForbidden, "Nothing was done", "The form is not one that this page made for you. Reload "+
			"the page and try again.", "./")
		return
	}
	if do == "call" {
		s.call(w, r, of, session)
		return
	}
	if problem := s.act(r.Context(), do, of, r.PostForm); problem != "" {
		s.note(w, http.StatusConflict, "Nothing was done", problem, "./")
		return
	}
	back, _ := url.ParseQuery(r.PostForm.Get("back"))
	s.back(w, r, ReadFilter(back))
}

func (s *Server) back(w http.ResponseWriter, r *http.Request, f Filter) {
	http.Redirect(w, r, s.path()+"?"+f.Query(), http.StatusSeeOther)
}

// ending says why nothing can be done any more.
const ending = "The hub is ending."

// act carries out what a button does, or says why it couldn't.
func (s *Server) act(ctx context.Context, do, of string, form url.Values) (problem string) {
	number, _ := strconv.ParseUint(of, 10, 63)
	tab := tabNumber(of)
	s.log.Info("the user acts on the live page", "what", do, "of", of)
	switch do {
	case "stop":
		var cancel func()
		if !s.store.ask(func(b *store) { cancel = b.running[number] }) {
			return ending
		}
		if cancel == nil {
			return "The call is over already."
		}
		cancel()
	case "answer":
		return s.answer(of, form)
	case "pause-client", "resume-client":
		return s.pause(func(p *paused) { p.client(of, do == "pause-client") })
	case "pause-tab", "resume-tab":
		return s.pause(func(p *paused) { p.tab(tab, do == "pause-tab") })
	case "pause-all", "resume-all":
		return s.pause(func(p *paused) { p.all = do == "pause-all" })
	case "resume-site":
		return s.pause(func(p *paused) { p.site(names.ParseAddress(of), false) })
	case "permit":
		return s.permit(of)
	case "connect", "disconnect":
		return s.attach(ctx, tab, do == "connect")
	default:
		return "The page has no such button."
	}
	return ""
}

// permit takes back the permission for a site.
func (s *Server) permit(origin string) (problem string) {
	permitter, is := s.hub.(Permitter)
	if !is {
		return "There are no permissions for sites here."
	}
	if err := permitter.Permit(origin, ""); err != nil {
		return sanitize.Text(err.Error(), 500)
	}
	return ""
}

// tabNumber returns the number of a tab that a text contains, or 0, which no tab has.
func tabNumber(of string) registry.TabID {
	number, _ := strconv.ParseUint(of, 10, 31)
	return registry.TabID(number)
}

// answer accepts a person's answer to a question. From then on no page shows the question, because a later answer to
// it would reach nobody.
func (s *Server) answer(id string, form url.Values) (problem string) {
	if !s.store.ask(func(b *store) {
		q := b.questions[id]
		if q == nil {
			problem = "Nobody waits for this answer any more: the call has ended, or it was answered."
			return
		}
		answer := q.answerTo(form.Get("answer"), func(name string) string { return form.Get("date." + name) })
		if answer == nil {
			problem = "Choose one of the answers."
			return
		}
		delete(b.questions, id)
		q.answer <- answer
	}) {
		return ending
	}
	return problem
}

func (s *Server) attach(ctx context.Context, id registry.TabID, on bool) (problem string) {
	tab := openTab(s.catalog(), id)
	if tab == nil {
		return "The tab is closed."
	}
	does := s.hub.DisconnectPage
	if on {
		does = s.hub.ConnectPage
	}
	if err := does(ctx, tab.Page); err != nil {
		return sanitize.Text(err.Error(), 500)
	}
	return ""
}

// catalog returns the catalog that the hub serves now.
func (s *Server) catalog() *registry.Catalog {
	c := registry.EmptyCatalog()
	s.store.ask(func(b *store) { c = b.state.Catalog() })
	return c
}

// try shows the form for a tool, filled with the arguments of an earlier call if there is one.
func (s *Server) try(w http.ResponseWriter, name string, call uint64, session string) {
	tool := s.catalog().Lookup(name)
	if tool == nil {
		s.noTool(w)
		return
	}
	var before Call
	var is, hidden bool
	s.store.ask(func(b *store) { before, is = b.state.Call(call) })
	var filled json.RawMessage
	if is {
		if shown, whole := Masked(before.Args.JSON); whole {
			filled, hidden = Unhidden(shown)
		}
	}
	t := s.tried(tool, session)
	t.Hidden, t.Fields = hidden, Fields(tool.InputSchema, filled)
	s.render(w, http.StatusOK, "try", t)
}

func (s *Server) noTool(w http.ResponseWriter) {
	s.note(w, http.StatusNotFound, "There is no such tool now", "Its page has removed it, or is closed.", "./")
}

// tried returns the form for a tool, without its fields.
func (s *Server) tried(tool *registry.HubTool, session string) Try {
	return Try{
		Title: "Try a tool", Name: tool.Name, Tool: sanitize.Text(tool.Route.Tool, 200), Origin: tool.Origin(),
		Description: sanitize.Text(tool.Description, 2000), Nonce: s.nonce(session, "call", tool.Name),
	}
}

// call calls a tool as a person. The live page shows the call among the calls, and its questions among the questions.
// It shows a form with a mistake again, as the person filled it in.
func (s *Server) call(w http.ResponseWriter, r *http.Request, name, session string) {
	tool := s.catalog().Lookup(name)
	if tool == nil {
		s.noTool(w)
		return
	}
	fields := Fields(tool.InputSchema, nil)
	args, wrong := Arguments(fields, func(name string) string { return r.PostForm.Get("arg." + name) })
	if wrong > 0 {
		t := s.tried(tool, session)
		t.Fields, t.Problem = fields, "Nothing was called: see the notes at the fields."
		s.render(w, http.StatusBadRequest, "try", t)
		return
	}
	call := &expected{name, args, make(chan uint64, 1)}
	s.store.ask(func(b *store) { b.expected = append(b.expected, call) })
	made := make(chan struct{})
	go func() {
		defer close(made)
		if err := s.hub.Call(s.ended, name, args); err != nil {
			s.log.Warn("a call from the live page was not made", "err", err)
		}
	}()
	ctx, cancel := context.WithTimeout(r.Context(), beginTime)
	defer cancel()
	to := Filter{Text: tool.Route.Tool}
	select {
	case to.Chosen = <-call.began:
	case <-made:
	case <-ctx.Done():
	}
	s.store.ask(func(b *store) {
		b.expected = slices.DeleteFunc(b.expected, func(e *expected) bool { return e == call })
	})
	if to.Chosen == 0 && len(call.began) > 0 { // the call has begun, and perhaps ended
		to.Chosen = <-call.began
	}
	s.back(w, r, to)
}

// beginTime is how long a person's call may take to begin before the page goes on without its details.
const beginTime = 2 * time.Second

// expected is a person's call that has not begun yet.
type expected struct {
	name  string
	args  json.RawMessage
	began chan uint64 // receives the call's id
}

// begins passes the id of a call that has begun to the form that expects it, if a person made the call.
func (b *store) begins(name string, args json.RawMessage, id uint64) {
	i := slices.IndexFunc(b.expected, func(e *expected) bool { return e.name == name && bytes.Equal(e.args, args) })
	if i >= 0 {
		b.expected[i].began <- id
		b.expected = slices.Delete(b.expected, i, i+1)
	}
}
