package e2e

const (
	navigatedAway  = `error: The page navigated to … while tool "…" ran; whether it took effect is unknown. List the tools again: the page's tools have changed.`
	onlyFirst      = "else it depends on timing"
	itNavigated    = `The tool navigated the page to …. The page's tools may have changed: list them again.`
	navigatedSince = goneBegins + `its page navigated to …` + goneEnds
	notOffered     = goneBegins + `its page no longer offers …` + goneEnds
)

var documentRows = []row{
	{
		page:   "The user navigates.",
		list:   "The tools go; those of the next document come.",
		during: says(navigatedAway),
		after:  says(navigatedSince),
		run: func(s *scene) {
			s.begin()
			call := s.hangs()
			s.unseen()
			s.p.navigate(s.url("tool=b"))
			s.during(call)
			s.stale("a")
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "The user reloads.",
		list:   "The tools go and come again, under the same names.",
		during: says(navigatedAway),
		after:  says("a ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("extra", "async () => text('extra ran')")
			call := s.hangs()
			s.p.reload()
			s.during(call)
			s.lists("a", "a_hangs")
			s.after("a")
		},
	},
	{
		page: "A tool is called while the user's next page is on its way.",
		list: "The tools stay until the next page is there.",
		during: told{
			native: "a ran",
			mcpb5:  navigatedAway, // Chrome keeps the bridge's messages back from a page that is being left
		},
		after: says(navigatedSince),
		run: func(s *scene) {
			s.begin()
			next := pages.held(s.Name())
			s.Cleanup(next.open)
			_, err := s.c.send(s.p.session, "Page.navigate", map[string]any{"url": s.url("tool=b", "held="+s.Name())})
			s.p.must(err)
			<-next.asked
			call := s.begins("a")
			s.lists("a", "a_hangs")
			if s.on == native {
				s.during(call)
			}
			s.unseen()
			next.open()
			s.stale("a")
			if s.on != native {
				s.during(call)
			}
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "A tool sets location.href and answers at once.",
		list:   "The tools go with their document, after the answer.",
		during: says("on my way"),
		on:     []runtime{native}, only: onlyFirst,
		after: says(navigatedSince),
		run: func(s *scene) {
			s.begin()
			s.addTool("goes", "async () => { location.href = '"+s.url("tool=b")+"'; return text('on my way'); }")
			s.unseen()
			s.during(s.begins("goes"))
			s.stale("a")
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "A tool sets location.href and answers while the next page is on its way.",
		list:   "The tools stay until the next page is there.",
		during: says("on my way"),
		after:  says(navigatedSince),
		run: func(s *scene) {
			s.begin()
			next := s.departs(s.url("tool=b", "held="+s.Name()))
			s.unseen()
			next.open()
			s.stale("a")
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page: "A tool sets location.href to the same origin and never answers.",
		list: "The tools go with their document.",
		during: told{
			native: itNavigated,
			mcpb5:  navigatedAway,
		},
		after: says(navigatedSince),
		run: func(s *scene) {
			s.begin()
			s.addTool("goes", "() => { location.href = '"+s.url("tool=b")+"'; return new Promise(() => {}); }")
			s.unseen()
			call := s.begins("goes")
			s.stale("a")
			s.during(call)
			s.lists("b", "b_hangs")
			s.works("b")
		},
	},
	{
		page:   "A tool sets location.href to another origin and answers at once.",
		list:   "The tools go with their document, after the answer.",
		during: says("on my way"),
		on:     []runtime{native}, only: onlyFirst,
		after:  says("b ran"),
		unsaid: true,
		run: func(s *scene) {
			s.begin()
			s.addTool("goes", "async () => { location.href = '"+s.foreign("tool=b")+"'; return text('on my way'); }")
			s.during(s.begins("goes"))
			s.lists("b", "b_hangs")
			s.after("b")
		},
	},
	{
		page:   "A tool sets location.href to another origin and answers while the next page is on its way.",
		list:   "The tools stay until the next page is there.",
		during: says("on my way"),
		after:  says("b ran"),
		unsaid: true,
		run: func(s *scene) {
			s.begin()
			next := s.departs(s.foreign("tool=b", "held="+s.Name()))
			next.open()
			s.lists("b", "b_hangs")
			s.after("b")
		},
	},
	{
		page:   "A tool sets location.href to another origin and never answers.",
		list:   "The tools go with their document.",
		during: says(navigatedAway),
		after:  says("b ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("goes", "() => { location.href = '"+s.foreign("tool=b")+"'; return new Promise(() => {}); }")
			s.during(s.begins("goes"))
			s.lists("b", "b_hangs")
			s.after("b")
		},
	},
}

// departs has a tool ask for a page that the server holds back, and answer
// meanwhile.
func (s *scene) departs(url string) *gate {
	s.Helper()
	next := pages.held(s.Name())
	s.Cleanup(next.open)
	s.addTool("goes", "async () => { location.href = '"+url+"'; await fetch('/asked"+query([]string{"held=" + s.Name()})+"'); return text('on my way'); }")
	call := s.begins("goes")
	<-next.asked
	s.during(call)
	s.lists("a", "a_hangs", "goes")
	if s.on == native { // Chrome passes nothing else on to a page that is being left
		s.works("a")
	}
	return next
}

const timedOut = `error: tool "…" did not answer: the time limit of 1s is over. It was told to stop; whether it took effect is unknown.`
