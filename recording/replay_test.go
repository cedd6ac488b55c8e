package recording

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// session makes a recording of lines: "> " is the client's, "< " the hub's, and "= " a list
// of tools that the recorder read.
func session(t *testing.T, lines ...string) *Session {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"recording":1}` + "\n")
	for i, l := range lines {
		kind := map[byte]string{'>': "client", '<': "hub", '=': "list"}[l[0]]
		fmt.Fprintf(&b, `{"ms":%d,%q:%s}`+"\n", i, kind, l[2:])
	}
	s, err := Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func call(id, tool, args string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
}

func answer(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func text(id, said string) string {
	return answer(id, fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, said))
}

const (
	replayChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	none          = `{"tools":[]}`
	one           = `{"tools":[{"name":"one"}]}`
	two           = `{"tools":[{"name":"one"},  {"name":"two"}]}`
)

// plays has a client say something, and compares what follows.
func plays(t *testing.T, p *Player, say string, want ...string) {
	t.Helper()
	var got []string
	for _, m := range p.Receive([]byte(say)) {
		got = append(got, string(m))
	}
	if !slices.Equal(got, want) {
		t.Errorf("after %s\ngot\n  %s\nwant\n  %s", say, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// shop is a session with everything in it that a session has.
var shop = []string{
	"> " + request("0", "initialize", `{"protocolVersion":"2025-11-25"}`),
	"< " + answer("0", `{"protocolVersion":"2025-11-25","serverInfo":{"name":"webmcp-hub"}}`),
	`> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	"> " + request("1", "tools/list", `{}`),
	"< " + answer("1", none),
	"< " + replayChanged,
	"> " + request("2", "tools/list", `{}`),
	"< " + answer("2", one),
	"> " + call("3", "one", `{"q":"tea","n":1.0}`),
	"< " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`,
	"< " + text("3", "first"),
	"> " + call("4", "one", `{"n":1,"q":"tea"}`),
	"< " + text("4", "second"),
	"< " + replayChanged,
	"= " + two,
	"> " + call("5", "two", `{}`),
	"< " + `{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"sure?"}}`,
	`> {"jsonrpc":"2.0","id":"e1","result":{"action":"accept"}}`,
	"< " + `{"jsonrpc":"2.0","id":5,"error":{"code":-32000, "message":"no"}}`,
	"> " + request("6", "resources/read", `{"uri":"a:b"}`),
	"< " + answer("6", `{"contents":[]}`),
}

// The client that was recorded hears what it heard, byte for byte.
func TestTheSameClient(t *testing.T) {
	p := NewPlayer(session(t, shop...), ReplayOptions{})
	var heard []string
	for _, l := range shop {
		switch l[0] {
		case '>':
			for _, m := range p.Receive([]byte(l[2:])) {
				heard = append(heard, "< "+string(m))
			}
		case '<':
			if len(heard) == 0 || heard[0] != l {
				t.Fatalf("heard %q, want %s", heard, l)
			}
			heard = heard[1:]
		}
	}
	if len(heard) > 0 || p.Unknown() != 0 {
		t.Errorf("heard %q besides, %d unknown", heard, p.Unknown())
	}
}

// Another client gets the same answers with ids and tokens of its own, and the tools that
// there were after a change, though the recorded one didn't ask.
func TestAnotherClient(t *testing.T) {
	p := NewPlayer(session(t, shop...), ReplayOptions{})
	plays(t, p, request(`"i"`, "initialize", `{"protocolVersion":"2025-06-18"}`), answer(`"i"`, `{"protocolVersion":"2025-11-25","serverInfo":{"name":"webmcp-hub"}}`))
	plays(t, p, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	plays(t, p, request(`"p"`, "ping", `{}`), answer(`"p"`, `{}`))
	plays(t, p, request(`"l"`, "tools/list", `{}`), answer(`"l"`, none), replayChanged)
	plays(t, p, request(`"c"`, "tools/call", `{"name":"one","arguments":{"n":1,"q":"tea"},"_meta":{"progressToken":"mine"}}`),
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`, text(`"c"`, "first"))
	plays(t, p, request(`"m"`, "tools/list", `{}`), answer(`"m"`, one))
	plays(t, p, call(`"d"`, "one", `{"q":"tea","n":1}`), text(`"d"`, "second"), replayChanged)
	plays(t, p, request(`"n"`, "tools/list", `{}`), answer(`"n"`, two))
	plays(t, p, call(`"e"`, "two", `{}`), `{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"sure?"}}`)
	plays(t, p, request(`"q"`, "ping", `{}`)) // nothing is said before the hub's question is answered
	plays(t, p, `{"jsonrpc":"2.0","id":"e1","result":{"action":"decline"}}`,
		`{"jsonrpc":"2.0","id":"e","error":{"code":-32000, "message":"no"}}`, answer(`"q"`, `{}`))
}

// A token of progress is the client's own.
func TestProgress(t *testing.T) {
	lines := []string{
		"> " + request("3", "tools/call", `{"name":"a","arguments":{},"_meta":{"progressToken":"t"}}`),
		"< " + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`,
		"< " + text("3", "done"),
	}
	p := NewPlayer(session(t, lines...), ReplayOptions{})
	plays(t, p, request("1", "tools/call", `{"name":"a","_meta":{"progressToken":7}}`), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`, text("1", "done"))
	p = NewPlayer(session(t, lines...), ReplayOptions{})
	plays(t, p, call("1", "a", `{}`), text("1", "done"))
}

// Calls out of turn are answered, and set nothing back.
func TestOutOfTurn(t *testing.T) {
	p := NewPlayer(session(t, shop...), ReplayOptions{})
	plays(t, p, call("1", "two", `{}`), // what comes before is skipped
		replayChanged, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":3,"progress":1}}`, replayChanged,
		`{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{"message":"sure?"}}`)
	plays(t, p, `{"jsonrpc":"2.0","id":"e1","result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000, "message":"no"}}`)
	plays(t, p, request("2", "tools/list", `{}`), answer("2", two))
	plays(t, p, call("3", "one", `{"q":"tea","n":1}`), text("3", "first"))
	plays(t, p, request("4", "tools/list", `{}`), answer("4", two))
}

// What was not recorded is an error that names the nearest.
func TestWhatWasNotRecorded(t *testing.T) {
	quiet := slices.DeleteFunc(slices.Clone(shop), func(l string) bool { return strings.Contains(l, `"e1"`) })
	p := NewPlayer(session(t, append(quiet, "> "+call("7", "one", `{"list":[1,{"a":"[masked]","b":2}]}`), "< "+text("7", "x"), "> "+call("8", "one", `{"late":true}`))...), ReplayOptions{})
	for _, c := range []struct{ say, want string }{
		{call("1", "one", `{"q":"coffee","n":1}`), `no call of \"one\" with these arguments. The nearest, call 1 of the recording, has q: \"tea\" instead of \"coffee\".`},
		{call("1", "one", `{"q":"tea","n":1,"extra":2}`), `has no extra.`},
		{call("1", "one", `{"list":[1,{"b":3}]}`), `call 4 of the recording, has list[1].a, which is missing now; list[1].b: 2 instead of 3.`},
		{call("1", "two_towels", `{}`), `no call of \"two_towels\". The nearest of those that it has: \"two\", \"one\".`},
		{call("1", "one", `{"late":true}`), `ends before \"one\" has answered`},
		{call("1", "one", `{"list":[1,{"a":"anything","b":2}]}`), `"text":"x"`},
		{call("1", "one", `{"list":[1,{"a":"anything","b":2}]}`), `this call of \"one\" once, and each was answered already. With --repeat`},
		{request("1", "resources/read", `{"uri":"c:d"}`), `the recording has no resources/read with these params; the client that was recorded asked for: initialize, resources/read, tools/call, tools/list`},
		{request("1", "prompts/list", `{}`), `the recording has no prompts/list; `},
		{`{"jsonrpc":"2.0","id":1,"method":`, `-32700`},
	} {
		got := p.Receive([]byte(c.say))
		if last := ""; len(got) > 0 {
			last = string(got[len(got)-1])
			for _, g := range got {
				if strings.Contains(string(g), c.want) {
					last = string(g)
				}
			}
			if !strings.Contains(last, c.want) {
				t.Errorf("%s: got %s, want %s", c.say, bytes.Join(got, []byte("\n")), c.want)
			}
		} else {
			t.Errorf("%s: no answer", c.say)
		}
	}
	if p.Unknown() != 7 {
		t.Errorf("%d unknown", p.Unknown())
	}
	p = NewPlayer(session(t), ReplayOptions{})
	if got := p.Receive([]byte(call("1", "a", `{}`))); len(got) != 1 || !strings.Contains(string(got[0]), "no call at all") {
		t.Errorf("an empty one: %q", got)
	}
}

// With Repeat the last answer is given again.
func TestRepeat(t *testing.T) {
	p := NewPlayer(session(t, shop...), ReplayOptions{Repeat: true})
	const args = `{"q":"tea","n":1}`
	p.Receive([]byte(call("1", "one", args)))
	p.Receive([]byte(call("2", "one", args)))
	plays(t, p, call("3", "one", args), text("3", "second"))
	plays(t, p, call("4", "one", args), text("4", "second"))
}

// Arguments that the recording has only a hash of are found by it.
func TestHashes(t *testing.T) {
	s, err := Read(strings.NewReader(`{"recording":1,"mask":"all"}
{"ms":1,"client":` + request("1", "tools/call", `{"name":"a"}`) + `,"hash":"sha256:21dc41e8f4d9e61c8c92e3f0e9ea4d9e7ff3d8e7e3c6b5a9f4fd3c2b1a098765"}
{"ms":1,"client":` + request("2", "tools/call", `{"name":"a"}`) + `,"hash":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}
{"ms":2,"hub":` + text("2", "found") + `}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(s, ReplayOptions{})
	plays(t, p, call("9", "a", ` { } `), text("9", "found"))
	if got := p.Receive([]byte(call("9", "a", `{"x":1}`))); !strings.Contains(string(got[0]), "2 times with other arguments, which were not recorded") {
		t.Errorf("got %s", got)
	}
}

// Serve reads lines and writes lines, until the end of its input.
func TestServe(t *testing.T) {
	in, client := io.Pipe()
	out, hub := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- NewPlayer(session(t, shop...), ReplayOptions{}).Serve(context.Background(), in, hub)
		_ = hub.Close()
	}()
	heard := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(out)
		heard <- string(all)
	}()
	for _, say := range []string{request("1", "ping", `{}`), `{"jsonrpc":"2.0","method":"notifications/other"}`, request("2", "tools/list", `{}`)} {
		if _, err := io.WriteString(client, say+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	_ = client.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got, want := <-heard, answer("1", "{}")+"\n"+answer("2", none)+"\n"; got != want {
		t.Errorf("heard %s", got)
	}
}
