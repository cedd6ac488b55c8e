package page_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	. "webmcphub/automation/automationtest"
	"webmcphub/automation/page"
)

func TestValues(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p id=p class=c>x</p><script>var mine = 5; JSON.stringify = () => "tampered"</script>`))
	main := tab.Frame("")
	for script, want := range map[string]string{
		"() => mine":                    `5`,
		"mine + 1;":                     `6`,
		"const a = mine; return a * 2":  `10`,
		"async () => ({a: [1, 'two']})": `{"a":[1,"two"]}`,
		"() => undefined":               `"[undefined]"`,
		"() => null":                    `null`,
		"() => [NaN, -0, 1/0, 10n]":     `["[NaN]","[-0]","[Infinity]","10n"]`,
		"() => new Date(0)":             `"1970-01-01T00:00:00.000Z"`,
		"() => /a+/g":                   `"/a+/g"`,
		"() => document.querySelector('p') // the first":   `"<p id=\"p\" class=\"c\">"`,
		"() => new Map([['k', new Set([1])]])":             `{"k":[1]}`,
		"() => Symbol('s')":                                `"[symbol]"`,
		"() => { const a = {n: 1}; a.self = a; return a }": `{"n":1,"self":"[object: seen before]"}`,
	} {
		is, err := page.Evaluate(tab.Ctx, tab.Page, page.Script{Frame: main.FrameRef, Script: script})
		if err != nil || string(is.JSON) != want {
			t.Errorf("%s: %s, %v; want %s", script, is.JSON, err, want)
		}
	}
	node := page.NodeArgument{BackendNode: tab.Node(main, "p")}
	is, err := page.Evaluate(tab.Ctx, tab.Page, page.Script{Frame: main.FrameRef, Script: "(e, n) => e.id + n", Args: []any{node, 3}})
	if err != nil || string(is.JSON) != `"p3"` {
		t.Errorf("arguments: %s, %v", is.JSON, err)
	}
	is, err = page.Evaluate(tab.Ctx, tab.Page, page.Script{Frame: main.FrameRef, Script: "() => 'é'.repeat(1000)", Limit: 100})
	if err != nil || !is.Cut || len(is.JSON) > 110 {
		t.Errorf("a long one: %s, %v", is.JSON, err)
	}
	var thrown *page.ScriptError
	for _, script := range []string{"() => { throw new Error('no') }", "() => Promise.reject(new Error('no'))", "]["} {
		if _, err := page.Evaluate(tab.Ctx, tab.Page, page.Script{Frame: main.FrameRef, Script: script}); !errors.As(err, &thrown) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	tab := Open(t, HTML(`<p>x`))
	for script, want := range map[string]string{"() => { for (;;); }": "was stopped", "() => new Promise(() => {})": "may still go on"} {
		ctx, cancel := context.WithTimeout(tab.Ctx, 2*time.Second)
		_, err := page.Evaluate(ctx, tab.Page, page.Script{Frame: tab.Frame("").FrameRef, Script: script})
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", script, err)
		}
		if n := JS[int](tab, "1"); n != 1 {
			t.Error(n)
		}
	}
}

// TestBoundUndone: a page whose own functions undo the bound on results gives no more for it.
func TestBoundUndone(t *testing.T) {
	tab := Open(t, HTML(`<script>window.data = {a: "x".repeat(8 << 20)}; Object.keys = () => []</script>`))
	got, err := page.Evaluate(tab.Ctx, tab.Page, page.Script{Frame: tab.Frame("").FrameRef, Script: "() => data"})
	if err != nil || !got.Cut || string(got.JSON) != `"[object: too large]"` {
		t.Errorf("%d bytes, %.80s, %v", len(got.JSON), got.JSON, err)
	}
}
