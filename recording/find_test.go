package recording

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A value that is masked within a text stands for any, as one that is masked as a whole.
func TestMaskedWithinAText(t *testing.T) {
	lines := []string{
		"> " + call("1", "login", `{"password":"[masked]"}`),
		"< " + text("1", "in"),
		"> " + call("2", "say", `{"words":"my word is [masked], yours [masked]."}`),
		"< " + text("2", "said"),
		"> " + call("3", "send", `{"json":"{\"b\":\"[masked]\",\"a\":1}"}`),
		"< " + text("3", "sent"),
	}
	p := NewPlayer(session(t, lines...), ReplayOptions{})
	plays(t, p, call("1", "login", `{"password":"hunter22"}`), text("1", "in"))
	for _, other := range []string{`"my word is hunter22, yours hunter33"`, `"a word is hunter22, yours hunter33."`, `"my word is hunter22."`, `["my word is hunter22, yours hunter33."]`} {
		if e := p.find(callTool, askingOf(callTool, []byte(`{"name":"say","arguments":{"words":`+other+`}}`), "")); e != nil {
			t.Errorf("%s is taken for it", other)
		}
	}
	plays(t, p, call("2", "say", `{"words":"my word is hunter22, yours hunter33."}`), text("2", "said"))
	plays(t, p, call("3", "send", `{"json":"{\"a\": 1, \"b\": \"hunter\\u0026\"}"}`), text("3", "sent"))
}

// Of requests that a masked value makes the same, the first that was not answered is.
func TestMaskedOnesInTheirOrder(t *testing.T) {
	lines := []string{
		"> " + call("1", "login", `{"password":"[masked]","to":"a"}`), "< " + text("1", "first"),
		"> " + call("2", "login", `{"password":"x","to":"a"}`), "< " + text("2", "second"),
		"> " + call("3", "login", `{"password":"[masked]","to":"a"}`), "< " + text("3", "third"),
	}
	p := NewPlayer(session(t, lines...), ReplayOptions{Repeat: true})
	for _, want := range []string{"first", "second", "third", "third"} {
		plays(t, p, call("9", "login", `{"password":"x","to":"a"}`), text("9", want))
	}
}

// Of a long session each request is found by its text: no arguments are decoded to compare it with others.
func TestALongSession(t *testing.T) {
	const n = 3000
	var lines []string
	ask := func(i int) string { return call(fmt.Sprint(i), "search", fmt.Sprintf(`{"words":"tea %d"}`, i)) }
	for i := range n {
		lines = append(lines, "> "+ask(i), "< "+text(fmt.Sprint(i), "x"))
	}
	p := NewPlayer(session(t, lines...), ReplayOptions{})
	for i := range n {
		plays(t, p, ask(i), text(fmt.Sprint(i), "x"))
	}
	for _, e := range p.exchanges {
		if e.what.read || !e.used {
			t.Fatalf("call %s was compared with others, or not found", e.what.args)
		}
	}
}

// However many masked calls of its tool are recorded, a request is decoded once, and not at all for those that were used.
func TestMaskedOnesAreDecodedOnce(t *testing.T) {
	ask := []byte(`{"name":"login","arguments":{"password":"x","list":[` + strings.Repeat("1,", 999) + `1]}}`)
	allocations := func(recorded, used int) float64 {
		var lines []string
		for i := range recorded {
			lines = append(lines, "> "+call(fmt.Sprint(i), "login", `{"password":"[masked]","list":[]}`))
		}
		p := NewPlayer(session(t, lines...), ReplayOptions{})
		for _, e := range p.exchanges[:used] {
			e.used = true
		}
		least := math.Inf(1) // with the race detector, sync.Pool drops what it holds at random
		for range 5 {
			least = min(least, testing.AllocsPerRun(3, func() {
				if p.find(callTool, askingOf(callTool, ask, "")) != nil {
					t.Error("another call is taken for it")
				}
			}))
		}
		return least
	}
	none, one, many, used := allocations(0, 0), allocations(1, 0), allocations(50, 0), allocations(50, 50)
	if many > 3*one {
		t.Errorf("%v allocations for one recorded call, %v for 50", one, many)
	}
	// One allocation for each of the 50 used calls would be more than that.
	if used > none+20 {
		t.Errorf("%v allocations for used calls, %v without, %v for a recorded one", used, none, one)
	}
}

// A question that nobody answered when it was recorded is asked, and not waited for.
func TestAQuestionThatNobodyAnswered(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":"h1","method":"elicitation/create","params":{}}`
	const cancels = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h1"}}`
	const late = `{"jsonrpc":"2.0","id":"h1","result":{"action":"accept"}}`
	for name, between := range map[string][]string{
		"cancelled":           {"< " + asks, "< " + cancels},
		"not even cancelled":  {"< " + asks},
		"answered after that": {"< " + asks, "< " + cancels, "> " + late},
	} {
		t.Run(name, func(t *testing.T) {
			lines := append([]string{"> " + call("1", "one", "{}")}, between...)
			lines = append(lines, "< "+text("1", "nobody answered"), "> "+call("2", "two", "{}"), "< "+text("2", "two is there"))
			p := NewPlayer(session(t, lines...), ReplayOptions{})
			var want []string
			for _, l := range between {
				if l[0] == '<' {
					want = append(want, l[2:])
				}
			}
			plays(t, p, call("1", "one", "{}"), append(want, text("1", "nobody answered"))...)
			plays(t, p, call("2", "two", "{}"), text("2", "two is there"))
		})
	}
}

// What the hub said before the client answered is said before; and a client that cancels
// its request need not answer.
func TestWaitingForAnAnswer(t *testing.T) {
	const asks = `{"jsonrpc":"2.0","id":"h1","method":"elicitation/create","params":{}}`
	const says = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`
	const answers = `{"jsonrpc":"2.0","id":"h1","result":{"action":"accept"}}`
	lines := []string{"> " + call("1", "one", "{}"), "< " + asks, "< " + says, "> " + answers, "< " + text("1", "done")}
	p := NewPlayer(session(t, lines...), ReplayOptions{})
	plays(t, p, call("1", "one", "{}"), asks, says)
	plays(t, p, answers, text("1", "done"))

	p = NewPlayer(session(t, lines...), ReplayOptions{})
	plays(t, p, call("1", "one", "{}"), asks, says)
	plays(t, p, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, text("1", "done"))
}
