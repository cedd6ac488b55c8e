package e2e

import (
	"slices"
	"strings"
)

const (
	frameEnded  = `error: The frame of tool "…" was removed or navigated while the tool ran; whether it took effect is unknown. List the tools again.`
	frameIsGone = goneBegins + `the frame that it belonged to was removed` + goneEnds
	frameMoved  = goneBegins + `the frame that it belonged to navigated to …` + goneEnds
)

var frameRows = slices.Concat(
	frameEvents("An iframe", nil, (*scene).url),
	frameEvents("A cross-origin iframe", []runtime{native}, (*scene).foreign),
	[]row{
		{
			page:   "A cross-origin iframe moves to the page's own origin and back.",
			list:   "Its tools go with each of its documents.",
			during: says(frameEnded),
			after:  says("b ran"),
			on:     []runtime{native},
			run: func(s *scene) {
				s.begin()
				s.addFrame(s.foreign("tool=b"))
				s.lists("a", "a_hangs", "b", "b_hangs")
				call := s.start("b_hangs", "hanging")
				s.moveFrame(s.url("tool=c"))
				s.during(call)
				s.lists("a", "a_hangs", "c", "c_hangs")
				s.works("c")
				s.p.eval(`notes.delete('hanging')`)
				call = s.start("c_hangs", "hanging")
				s.moveFrame(s.foreign("tool=b"))
				s.during(call)
				s.lists("a", "a_hangs", "b", "b_hangs")
				s.after("b")
			},
		},
		{
			page:   "Two frames have tools of one name, then the first goes.",
			list:   "The second's name gets a suffix, which it keeps while the client hasn't listed again.",
			during: says("inner ran"),
			after:  says("inner ran"),
			run: func(s *scene) {
				s.begin()
				s.addFrame(s.url("tool=b", "says=outer"))
				s.lists("a", "a_hangs", "b", "b_hangs")
				s.addFrame(s.url("tool=b", "says=inner"))
				tools := pageTools(s.h.waitTools("two of b", func(tools toolList) bool { return len(pageTools(tools)) == 6 }))
				i := slices.IndexFunc(tools, func(name string) bool {
					return strings.HasPrefix(name, s.tool("b_")) && !strings.Contains(name, "hangs")
				})
				if i < 0 {
					s.Fatalf("listed: %q", tools)
				}
				wantText(s.T, s.h.call(s.tool("b"), nil), "outer ran")
				call := s.h.call(tools[i], nil)
				s.compare("during", s.row.during, call)
				s.unseen()
				s.p.eval(`document.querySelector('iframe').remove()`)
				<-s.h.changed
				s.compare("after", s.row.after, s.h.call(tools[i], nil))
				poke(s.h.changed)
				s.lists("a", "a_hangs", "b", "b_hangs")
				wantText(s.T, s.h.call(s.tool("b"), nil), "inner ran")
			},
		},
		{
			page:  "The page was there before the hub, with tools in its iframes.",
			list:  "They are listed with the others.",
			after: says("b ran"),
			run: func(s *scene) {
				c := chromeFor(s.T, s.on)
				s.p = c.open(s.T, s.url("src="+s.url("tool=b", "src="+s.url("tool=c"))))
				s.attach(c)
				s.lists("a", "a_hangs", "b", "b_hangs", "c", "c_hangs")
				s.works("c")
				s.after("b")
			},
		},
		{
			page:  `A cross-origin iframe without allow="tools" wants to register a tool.`,
			list:  "Chrome refuses it.",
			after: says("a ran"),
			run: func(s *scene) {
				s.begin()
				s.p.eval(`addFrame('` + s.foreign("tool=b") + `', ''); happened('refused')`)
				s.lists("a", "a_hangs")
				s.after("a")
			},
		},
		{
			page:  `A cross-origin iframe with allow="tools" registers a tool.`,
			list:  "It is listed with the page's.",
			after: says("b ran"),
			on:    []runtime{native},
			run: func(s *scene) {
				s.begin()
				s.addFrame(s.foreign("tool=b"))
				s.lists("a", "a_hangs", "b", "b_hangs")
				s.after("b")
			},
		},
		{
			page:   "An iframe in an iframe; the outer one is removed.",
			list:   "The tools of both go.",
			during: says(frameEnded),
			after:  says(frameIsGone),
			run:    func(s *scene) { s.nested(s.url("tool=c")) },
		},
		{
			page:   "A cross-origin iframe in an iframe; the outer one is removed.",
			list:   "The tools of both go.",
			during: says(frameEnded),
			after:  says(frameIsGone),
			on:     []runtime{native}, unsaid: true,
			run: func(s *scene) { s.nested(s.foreign("tool=c")) },
		},
	},
)

// frameEvents are what happens to iframes of either origin. The document has those of the page's own.
func frameEvents(an string, on []runtime, url func(*scene, ...string) string) []row {
	return []row{
		{
			page:   an + " is added.",
			list:   "Its tools join; the client is told once the page's calls are answered, or after 5 s.",
			during: says("done"),
			after:  says("b ran"),
			on:     on, unsaid: on != nil,
			run: func(s *scene) {
				s.begin()
				s.addTool("waits", "async () => { note('waiting'); await happened('go'); return text('done'); }")
				call := s.start("waits", "waiting")
				s.addFrame(url(s, "tool=b"))
				s.listsUntold("a", "a_hangs", "waits", "b", "b_hangs")
				s.after("b")
				s.p.eval(`note('go')`)
				s.during(call)
				s.lists("a", "a_hangs", "waits", "b", "b_hangs")
			},
		},
		{
			page:   an + " is removed.",
			list:   "Its tools go.",
			during: says(frameEnded),
			after:  says(frameIsGone),
			on:     on, unsaid: on != nil,
			run: func(s *scene) {
				s.begin()
				s.addFrame(url(s, "tool=b"))
				s.lists("a", "a_hangs", "b", "b_hangs")
				call := s.start("b_hangs", "hanging")
				s.unseen()
				s.p.eval(`document.querySelector('iframe').remove()`)
				s.during(call)
				s.stale("b")
				s.lists("a", "a_hangs")
				s.works("a")
			},
		},
		{
			page:   an + " navigates.",
			list:   "Its tools go with its document, then those of the next one come.",
			during: says(frameEnded),
			after:  says(frameMoved),
			on:     on, unsaid: on != nil,
			run: func(s *scene) {
				s.begin()
				s.addFrame(url(s, "tool=b"))
				s.lists("a", "a_hangs", "b", "b_hangs")
				call := s.start("b_hangs", "hanging")
				s.unseen()
				s.moveFrame(url(s, "tool=c"))
				s.during(call)
				s.stale("b")
				s.lists("a", "a_hangs", "c", "c_hangs")
				s.works("c")
			},
		},
	}
}

func (s *scene) addFrame(url string) {
	s.Helper()
	s.p.eval(`addFrame('` + url + `')`)
}

func (s *scene) moveFrame(url string) {
	s.Helper()
	s.p.eval(`document.querySelector('iframe').src = '` + url + `', true`)
}

func (s *scene) nested(inner string) {
	s.Helper()
	s.begin()
	s.addFrame(s.url("tool=b", "src="+inner))
	s.lists("a", "a_hangs", "b", "b_hangs", "c", "c_hangs")
	call := s.start("c_hangs", "hanging")
	s.unseen()
	s.p.eval(`document.querySelector('iframe').remove()`)
	s.during(call)
	s.stale("c")
	s.lists("a", "a_hangs")
}
