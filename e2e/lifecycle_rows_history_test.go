package e2e

const onlyAnswered = "the hub itself answers when the form is sent"

// bothForms are the ways to a declarative tool: Chrome's own, and the hub's.
var bothForms = []runtime{native, forms}

const (
	formHandled = "The form was submitted, and the page handled that by itself. What came of it is to be seen in the page."
	formSent    = "The form was submitted to …. If the page navigates, its tools may change: list them again."
)

// addForm adds a declarative tool "book" to the page; submit is what the page
// does when it's submitted.
func (s *scene) addForm(attributes, submit string) {
	s.Helper()
	s.p.eval(`document.body.insertAdjacentHTML('beforeend', '<form toolname="book" tooldescription="Books" ` + attributes + `><input name="q"><button>Book</button></form>');
		const form = document.querySelector('form');
		form.addEventListener('submit', event => { ` + submit + ` });
		if (document.modelContext) document.modelContext.addEventListener('toolactivated', () => note('filled'));
		else form.addEventListener('focusin', () => note('filled')); true`)
	s.lists("a", "a_hangs", "book")
}

const respond = `event.preventDefault(); event.respondWith(Promise.resolve('booked'))`

var formRows = []row{
	{
		page:   "A form tool submits itself (toolautosubmit), and the page answers.",
		list:   "It stays.",
		during: told{native: "booked", forms: formHandled},
		after:  says("a ran"),
		on:     bothForms,
		run: func(s *scene) {
			s.begin()
			s.addForm("toolautosubmit", respond)
			s.during(s.begins("book"))
			s.lists("a", "a_hangs", "book")
			s.after("a")
		},
	},
	{
		page:   "A form tool submits itself, and the form's next page comes.",
		list:   "The tools go; those of the next document come.",
		during: told{native: itNavigated, forms: formSent},
		after:  says(navigatedSince),
		on:     bothForms,
		run: func(s *scene) {
			s.begin()
			s.addForm(`toolautosubmit action="`+s.url("tool=b")+`" method="post"`, "")
			s.unseen()
			call := s.begins("book")
			s.stale("a")
			s.during(call)
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "A form tool submits itself, and the next page has data for agents (JSON-LD).",
		list:   "The tools go; those of the next document come.",
		during: says(`[{"booking":7}]`),
		after:  says(navigatedSince),
		on:     []runtime{native}, only: onlyAnswered,
		run: func(s *scene) {
			s.begin()
			s.addForm(`toolautosubmit action="`+s.url("tool=b", `data={"booking":7}`)+`" method="post"`, "")
			s.unseen()
			call := s.begins("book")
			s.stale("a")
			s.during(call)
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "A form tool without toolautosubmit: the fields are filled in, and the user submits.",
		list:   "It stays. The page's other tools work while the call waits for the user.",
		during: told{native: "booked", forms: formHandled},
		after:  says("a ran"),
		on:     bothForms,
		run: func(s *scene) {
			s.begin()
			s.addForm("", respond)
			call := s.start("book", "filled")
			s.works("a")
			s.p.eval(`document.querySelector('button').click()`)
			s.during(call)
			s.lists("a", "a_hangs", "book")
			s.after("a")
		},
	},
	{
		page:   "A form tool without toolautosubmit: the user resets the form.",
		list:   "It stays.",
		during: says("error: Tool execution cancelled by a form reset"),
		after:  says("a ran"),
		on:     bothForms,
		run: func(s *scene) {
			s.begin()
			s.addForm("", respond)
			call := s.start("book", "filled")
			s.p.eval(`document.querySelector('form').reset()`)
			s.during(call)
			s.lists("a", "a_hangs", "book")
			s.after("a")
		},
	},
	{
		page:   "A form tool without toolautosubmit: the page removes the form while it waits for the user.",
		list:   "It goes.",
		during: says("error: Tool execution cancelled, since tool definition was updated"),
		after:  says(notOffered),
		on:     bothForms,
		run: func(s *scene) {
			s.begin()
			s.addForm("", respond)
			call := s.start("book", "filled")
			s.unseen()
			s.p.eval(`document.querySelector('form').remove()`)
			s.during(call)
			s.stale("book")
			s.lists("a", "a_hangs")
		},
	},
	{
		page:   "A form tool without toolautosubmit: the user does nothing.",
		list:   "It stays.",
		during: says(timedOut),
		after:  says("a ran"),
		on:     bothForms,
		flags:  []string{"--call-timeout", "1s"},
		run: func(s *scene) {
			s.begin()
			s.addForm("", respond)
			s.during(s.start("book", "filled"))
			s.lists("a", "a_hangs", "book")
			s.after("a")
		},
	},
}

var historyRows = []row{
	{
		page:   "A tool changes the address by history.pushState.",
		list:   "The tools stay.",
		during: says("pushed"),
		after:  says("a ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("pushes", `async () => { history.pushState({}, '', '/elsewhere.html'); location.hash = 'x'; return text('pushed'); }`)
			s.during(s.begins("pushes"))
			s.lists("a", "a_hangs", "pushes")
			s.after("a")
		},
	},
	{
		page:   "The user goes back to a page in the back-forward cache.",
		list:   "The page's tools go, then the restored one's come as they were.",
		during: says(navigatedAway),
		after:  says("extra ran"),
		run: func(s *scene) {
			s.begin("cached=")
			s.addTool("extra", "async () => text('extra ran')")
			s.p.navigate(s.url("tool=b", "cached="))
			s.lists("b", "b_hangs")
			call := s.start("b_hangs", "hanging")
			s.travels("back")
			s.during(call)
			s.lists("a", "a_hangs", "extra")
			s.p.happened("restored")
			s.works("a")
			s.after("extra")
		},
	},
	{
		page:   "The user goes back from a page with a call in flight, and forward to it again.",
		list:   "The same.",
		during: says(navigatedAway),
		after:  says("b ran"),
		run: func(s *scene) {
			s.begin("cached=")
			s.p.navigate(s.url("tool=b", "cached="))
			s.lists("b", "b_hangs")
			call := s.start("b_hangs", "hanging")
			s.travels("back")
			s.during(call)
			s.lists("a", "a_hangs")
			call = s.start("a_hangs", "hanging")
			s.travels("forward")
			s.during(call)
			s.lists("b", "b_hangs")
			s.p.happened("restored")
			s.after("b")
		},
	},
}

func (s *scene) travels(where string) {
	s.Helper()
	s.p.eval(`setTimeout(() => history.` + where + `()), true`)
}
