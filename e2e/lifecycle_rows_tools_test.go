package e2e

import (
	"strings"
)

const (
	crashed     = `error: The page crashed while tool "…" ran. It has no tools until it is reloaded.`
	pageCrashed = goneBegins + `its page crashed` + goneEnds
)

var hostileRows = []row{
	{
		page:   "A tool opens a dialog (alert) where a user can see it.",
		list:   "It stays. The page answers nothing until the user has closed the dialog.",
		during: says(`error: tool "asks" did not answer: the time limit of 1s is over, and a dialog is open in the page: alert "Really?". It was told to stop; whether it took effect is unknown.`),
		after:  says("a ran"),
		flags:  []string{"--call-timeout", "1s"},
		run: func(s *scene) {
			s.begin()
			s.p.page("Page.enable", nil, nil)
			s.addTool("asks", "async () => text(alert('Really?'))")
			s.during(s.begins("asks"))
			s.lists("a", "a_hangs", "asks")
			s.p.page("Page.handleJavaScriptDialog", map[string]any{"accept": true}, nil)
			poll(s.T, "the hub takes the dialog for open", func() bool {
				return !strings.Contains(textOf(s.h.call("list_tabs", nil)), "dialog open")
			})
			s.after("a")
		},
	},
	{
		page:   "A tool opens a dialog in a headless Chrome that the hub started.",
		list:   "It stays. The hub closes the dialog: alert by OK, others by Cancel.",
		during: says("undefined"),
		after:  says("a ran"),
		on:     []runtime{native}, only: "the hub switches it on in a Chrome that it starts",
		run: func(s *scene) {
			s.h = launchHub(s.T, "--chrome-arg="+s.url("asks="))
			s.lists("a", "a_hangs", "asks")
			s.during(s.begins("asks"))
			s.lists("a", "a_hangs", "asks")
			s.after("a")
		},
	},
	{
		page:   "A tool loops for ever.",
		list:   "It stays. 2 s after the call's time is up, or the client has cancelled it, the hub ends the page's script by force and says so in its log.",
		during: says(timedOut),
		after:  says("a ran"),
		flags:  []string{"--call-timeout", "1s"},
		run: func(s *scene) {
			s.begin()
			endless, loops := pages.endless(s.T)
			s.addTool("loops", "async () => "+endless)
			s.during(s.begins("loops"))
			s.lists("a", "a_hangs", "loops")
			s.h.stderr.wait(s.T, "the page's script is being ended")
			loops()
			s.p.eval("1") // answered once the page is free
			s.after("a")
		},
	},
	{
		page:   "A tool never resolves.",
		list:   "It stays. The page is told to stop: native by the tool's AbortSignal, @mcp-b/global by notifications/cancelled.",
		during: says(timedOut),
		after:  says("a ran"),
		flags:  []string{"--call-timeout", "1s"},
		run: func(s *scene) {
			s.begin()
			s.during(s.hangs())
			s.lists("a", "a_hangs")
			s.after("a")
		},
	},
	{
		page:   "A tool returns a Symbol, which crashes the page (Chromium 156).",
		list:   "The tools go, and come again when the page is reloaded.",
		during: says(crashed),
		after:  says(pageCrashed),
		on:     []runtime{native}, only: "@mcp-b/global has a text for it",
		run: func(s *scene) {
			s.begin()
			s.addTool("symbol", "async () => Symbol('x')")
			s.unseen()
			s.during(s.begins("symbol"))
			s.stale("a")
			s.lists()
			s.p.page("Page.reload", nil, nil)
			s.lists("a", "a_hangs")
			s.works("a")
		},
	},
	{
		page:   "A tool returns a Symbol.",
		list:   "It stays.",
		during: says("Symbol(x)"),
		after:  says("a ran"),
		on:     []runtime{mcpb5}, unsaid: true,
		run: func(s *scene) {
			s.begin()
			s.addTool("symbol", "async () => Symbol('x')")
			s.during(s.begins("symbol"))
			s.lists("a", "a_hangs", "symbol")
			s.after("a")
		},
	},
	{
		page:   "A tool answers twice.",
		list:   "It stays. The first answer counts.",
		during: says("first"),
		after:  says("a ran"),
		run: func(s *scene) {
			s.begin()
			s.p.eval(`addEventListener('message', ({data}) => { // what a page server can do
				if (data?.payload?.method !== 'tools/call' || data.payload.params.name !== 'twice') return;
				const answer = text => postMessage({channel: 'mcp-default', type: 'mcp', direction: 'server-to-client',
					payload: {jsonrpc: '2.0', id: data.payload.id, result: {content: [{type: 'text', text}]}}}, '*');
				answer('first');
				answer('second');
				note('answered');
			}); true`)
			s.addTool("twice", "() => new Promise(resolve => { resolve(text('first')); resolve(text('second')); note('answered'); })")
			s.during(s.begins("twice"))
			s.p.happened("answered")
			s.lists("a", "a_hangs", "twice")
			s.after("a")
			wantText(s.T, s.h.call(s.tool("twice"), nil), "first")
		},
	},
}

var toolRows = []row{
	{
		page:   "A tool unregisters itself while it runs.",
		list:   "It stays until its own answer is out, then it goes.",
		during: says("bye"),
		after:  says(notOffered),
		run: func(s *scene) {
			s.begin()
			s.p.eval(`globalThis.quit = addTool({name: 'quits', execute: async () => { quit(); note('quit'); await happened('go'); return text('bye'); }}), true`)
			s.lists("a", "a_hangs", "quits")
			call := s.start("quits", "quit")
			s.works("a") // so the hub has heard of it
			s.listsUntold("a", "a_hangs", "quits")
			s.unseen()
			s.p.eval(`note('go')`)
			s.during(call)
			s.stale("quits")
			s.lists("a", "a_hangs")
		},
	},
	{
		page:   "A page registers two tools of one name.",
		list:   "The page's own registration fails; the first tool stays.",
		during: says("first ran"),
		after:  says("first ran"),
		run: func(s *scene) {
			s.begin()
			s.addTool("one", "async () => { await happened('refused'); return text('first ran'); }")
			call := s.begins("one")
			s.p.eval(`addTool({name: 'one', execute: async () => text('second ran')}), true`)
			s.p.happened("refused")
			s.during(call)
			s.lists("a", "a_hangs", "one")
			s.after("one")
		},
	},
	{
		page:   "A page registers 1,000 tools.",
		list:   "As many as --max-tools-per-page allows are listed; the log names the others. The client is told a few times.",
		during: says("a ran"),
		after:  says("tool-999 ran"),
		flags:  []string{"--max-tools-per-page", "1002"},
		run: func(s *scene) {
			s.begin()
			s.p.eval(`for (let i = 0; i < 1000; i++) addTool({name: 'tool-' + i}); true`)
			s.during(s.begins("a"))
			s.h.waitTools("1,002 tools", func(tools toolList) bool { return len(pageTools(tools)) == 1002 })
			s.after("tool_999")
			if n := s.h.count("notifications/tools/list_changed"); n > 500 {
				s.Errorf("%d notifications", n)
			}
		},
	},
	{
		page:  "A page registers its tools late (2 s here; the hub waits for no time at all).",
		list:  "They come when they are registered.",
		after: says("a ran"),
		run: func(s *scene) {
			s.attach(chromeFor(s.T, s.on))
			s.p = s.c.open(s.T, s.url("late=2000"))
			s.lists()
			s.p.happened("late")
			s.lists("a", "a_hangs")
			s.after("a")
		},
	},
	{
		page:   "A page takes its own server down.",
		list:   "Its tools go.",
		during: says(`error: The page's MCP server stopped while tool "…" ran; whether it took effect is unknown. List the tools again.`),
		after:  says(notOffered),
		on:     []runtime{mcpb5}, only: "native WebMCP has no server",
		run: func(s *scene) {
			s.begin()
			call := s.hangs()
			s.unseen()
			s.p.eval(`WebMCP.cleanupWebModelContext(), true`)
			s.during(call)
			s.stale("a")
			s.lists()
		},
	},
}
