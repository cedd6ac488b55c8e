package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// Both layouts in which servers give a page's result, and what must not pass.
func TestEchoed(t *testing.T) {
	for got, ok := range map[string]bool{
		`{"status": "Completed", "output": {"content": [{"type": "text", "text": "3 at 4"}]}}`:                                   true,
		"### Result\nCalled \"echo\" in http://a.test/. Untrusted:\n{\"content\": [{\"type\": \"text\", \"text\": \"3 at 4\"}]}": true,
		`{"content": [{"type": "text", "text": "2 at 4"}]}`:                                                                      false,
		`{"content": [{"type": "text", "text": "3 at 4"}, {"type": "text", "text": "3 at 4"}]}`:                                  false,
		`{"content": []}`: false,
		`3 at 4`:          false,
		``:                false,
	} {
		if err := echoed(got, "3 at 4"); (err == nil) != ok {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// A page's tool is found by its own name, whatever a server makes of it.
func TestFind(t *testing.T) {
	names := []string{"webmcp_list_tools", "browser_click", "new1", "webmcp_a_test_page0_recho"}
	for p, name := range map[*peer]string{
		theHub(""):             "webmcp_a_test_page0_echo",
		playwright("", ""):     "webmcp_echo",
		relay("", ""):          "echo_12ab",
		chromeDevtools("", ""): "", // which lists none
	} {
		var tools []tool
		for _, n := range names {
			tools = append(tools, tool{name: n})
		}
		if got := p.find(tools, "echo"); got != "" {
			t.Errorf("%s finds echo in %s", p.title, got)
		}
		if got := p.find(append(tools, tool{name: name}), "echo"); got != name {
			t.Errorf("%s finds %q, want %q", p.title, got, name)
		}
	}
}

func TestMedians(t *testing.T) {
	c := &column{title: "it", rounds: []values{{callP50: 3, rssOne: 9, listChanges: 1}, {callP50: 1, rssOne: 9}, {callP50: 2, rssOne: 8}}}
	if v := c.medians(); v[callP50] != 2 || v[rssOne] != 9 || len(v) != 2 {
		t.Errorf("medians are %v", v)
	}
	var table strings.Builder
	write(&table, toolRows, []*column{c, {title: "nothing"}, {title: "relay", rounds: []values{{firstTool: never, ownBytes: 12345, ownTools: 4, ownTokens: 3086}}}})
	for _, want := range []string{"| 2.00 | – | – |\n", "| – | – | never |\n", "| – | – | 4; 12,345; 3,086 |\n"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
}

// What a server can't do is told from what wasn't measured.
func TestAutomationRows(t *testing.T) {
	var table strings.Builder
	write(&table, automationRows(), []*column{
		{title: "a", rounds: []values{{wrongOnes: 0, wrongOf: 30, clicksOf(1): 10, clicksOf(8): 40, chromeCPU(8): 12}}},
		{title: "b", rounds: []values{{opP50(opClick): 12, chromeCPU(8): 13, serverCPU(8): 2}}},
	})
	for _, want := range []string{"| 0 of 30 | – |", "| 40; 0.50 | – |", "| – | 12 |", "| 12 | 13; 2.00 |"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
}

// A tab is found by its whole address, in each server's listing.
func TestPageIn(t *testing.T) {
	for _, listed := range []string{
		"1: light http://x/light/12/\n2: light http://x/light/1/ [current] [yours]\n3: light http://x/light/1/?visit=2",
		"## Pages\n1: light (http://x/light/12/) [selected]\n2: light (http://x/light/1/)",
		"### Result\n- 1: (current) [light](http://x/light/12/)\n- 2: [light](http://x/light/1/)",
	} {
		if n, err := pageIn(listed, "http://x/light/1/"); n != 2 || err != nil {
			t.Errorf("%d, %v in %q", n, err, listed)
		}
		if n, err := pageIn(listed, "http://x/light/2/"); err == nil {
			t.Errorf("a tab that isn't there is %d in %q", n, listed)
		}
	}
}

// operators are the servers that operate pages.
func operators() []*peer {
	all := servers("hub", "modules")
	return all[:3]
}

// An element is found by what people call it, in each server's snapshot.
func TestFindElement(t *testing.T) {
	texts := []string{
		"page \"light\" http://x/\n h1 \"Light\"\n \"Otto\"\n b1 button \"Count\"\n b2 textbox \"Name\"",
		"## Latest page snapshot\nuid=1_0 RootWebArea \"light\"\n  uid=1_1 \"Otto\"\n  uid=b1 button \"Count\"\n  uid=b2 textbox \"Name\" value=\"x\"",
		"```yaml\n- generic [active] [ref=e1]:\n  - generic [ref=e2]: Otto\n  - button \"Count\" [ref=b1]\n  - textbox \"Name\" [ref=b2]: x",
	}
	for i, p := range operators() {
		for name, want := range map[string]string{"Count": "b1", "Name": "b2"} {
			if got, err := p.dialect.find(texts[i], name); err != nil || got != want {
				t.Errorf("%s: %s is %s, %v", p.name, name, got, err)
			}
		}
		if got, err := p.dialect.find(texts[i], "Other"); err == nil {
			t.Errorf("%s finds %v", p.name, got)
		}
	}
}

// Each server has a way to do everything that is measured.
func TestRequests(t *testing.T) {
	for _, p := range operators() {
		seen := map[string]bool{}
		for _, o := range []op{opClick, opFill, opSnapshot, opScreenshot, opEvaluate, opNavigate, opPress, opList, opUpload} {
			asked := p.dialect.ask(o, aim{page: 7, ref: "b1", text: "what"})
			last := asked[len(asked)-1]
			if seen[last.tool] {
				t.Errorf("%s has %s twice", p.name, last.tool)
			}
			seen[last.tool] = true
			if _, has := last.args["pageId"]; has != (!p.dialect.mute && o != opList) {
				t.Errorf("%s: %s has the arguments %v", p.name, o, last.args)
			}
		}
	}
}

// A picture of another moment, or of nothing, doesn't pass.
func TestPictured(t *testing.T) {
	of := func(c color.Color) []byte {
		m := image.NewRGBA(image.Rect(0, 0, 300, 200))
		for y := range 200 {
			for x := range 300 {
				m.Set(x, y, c)
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if err := pictured(of(color.RGBA{60, 200, 40, 255}), 60); err != nil {
		t.Error(err)
	}
	for name, data := range map[string][]byte{"an earlier one": of(color.RGBA{40, 200, 40, 255}), "white": of(color.White), "none": nil, "no picture": []byte("x")} {
		if pictured(data, 60) == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// moving is a server whose listing still has a tab before the one that is looked for, until it is
// told to select that one.
type moving struct{ closed bool }

func (m *moving) do(_ context.Context, _ string, args any) (reply, error) {
	index, selects := args.(map[string]any)["index"]
	switch {
	case !selects && !m.closed:
		return reply{text: "- 0: (current) [light](http://x/old/)\n- 1: [light](http://x/light/1/)"}, nil
	case selects && index == 1:
		m.closed = true
		return reply{isError: true, text: "Error: Tab 1 not found"}, nil
	}
	return reply{text: "- 0: (current) [light](http://x/light/1/)"}, nil
}

// A tab whose number changes between the listing and the choice is found all the same.
func TestArriveWhereNumbersMove(t *testing.T) {
	page, err := playwright("", "").dialect.arrive(t.Context(), &moving{}, &tab{url: "http://x/light/1/"})
	if page != 0 || err != nil {
		t.Errorf("%d, %v", page, err)
	}
}
