package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
)

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

// An element is found by what people call it, in each server's snapshot.
func TestRefs(t *testing.T) {
	texts := []string{
		"page \"light\" http://x/\n h1 \"Light\"\n \"Otto\"\n b1 button \"Count\"\n b2 textbox \"Name\"",
		"## Latest page snapshot\nuid=1_0 RootWebArea \"light\"\n  uid=1_1 \"Otto\"\n  uid=b1 button \"Count\"\n  uid=b2 textbox \"Name\" value=\"x\"",
		"```yaml\n- generic [active] [ref=e1]:\n  - generic [ref=e2]: Otto\n  - button \"Count\" [ref=b1]\n  - textbox \"Name\" [ref=b2]: x",
	}
	all := operators(t)
	for i, d := range all {
		if got, err := d.refs(texts[i], "Count", "Name"); err != nil || !slices.Equal(got, []string{"b1", "b2"}) {
			t.Errorf("%s: %v, %v", d.name, got, err)
		}
		if !d.shows(texts[i], "Cou") || d.shows(texts[i], "light and") || d.shows(texts[i], "Otto") {
			t.Errorf("%s mistakes what is a control", d.name)
		}
		if got, err := d.refs(texts[i], "Other"); err == nil {
			t.Errorf("%s finds %v", d.name, got)
		}
	}
}

// Each server has a way to do everything that is measured.
func TestRequests(t *testing.T) {
	for _, d := range operators(t) {
		seen := map[string]bool{}
		for _, o := range []op{opClick, opFill, opSnapshot, opScreenshot, opEvaluate, opNavigate, opPress, opList, opUpload} {
			asked := d.ask(o, aim{page: 7, ref: "b1", text: "what"})
			last := asked[len(asked)-1]
			if seen[last.tool] {
				t.Errorf("%s has %s twice", d.name, last.tool)
			}
			seen[last.tool] = true
			if _, has := last.args["pageId"]; has != (!d.mute && o != opList) {
				t.Errorf("%s: %s has the arguments %v", d.name, o, last.args)
			}
		}
	}
}

func operators(t *testing.T) []*dialect {
	t.Helper()
	return servers("hub", "", "modules", "node")
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

// One action takes the front, whatever follows before the person is back.
func TestThefts(t *testing.T) {
	th := thefts{by: map[string]int{}}
	for _, front := range []bool{true, false, false, true, false} {
		th.note("click", front)
	}
	if th.sum != 2 || th.String() != "click (2)" {
		t.Errorf("%d, %s", th.sum, th)
	}
}

// What a server can't do is told from what wasn't measured.
func TestOperatedRows(t *testing.T) {
	var table strings.Builder
	columns := []*column{
		{title: "a", rounds: []values{{confusions: impossible, wrongOnes: 0, wrongOf: 30, clicksOf(1): 10, clicksOf(8): 40}}},
		{title: "b", rounds: []values{{confusions: 2, agentRounds: 200, opP50(opClick): 12, opP99(opClick): 30}}},
	}
	write(&table, operating{tabs: 50}.operatedRows(), columns)
	for _, want := range []string{"| not possible: one client | 2 of 200 |", "| 0 of 30 | – |", "| 40; 0.50 | – |", "| – | 12; 30 |"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, &table)
		}
	}
	var svg bytes.Buffer
	if err := drawOperated(&svg, columns); err != nil || !strings.Contains(svg.String(), "</svg>") {
		t.Errorf("the plot: %v", err)
	}
}

// moving is a server whose listing still has a tab before the one that is looked for, until it is
// told to select that one.
type moving struct{ closed bool }

func (m *moving) Do(_ context.Context, _ string, args any) (reply, error) {
	index, selects := args.(map[string]any)["index"]
	switch {
	case !selects && !m.closed:
		return reply{Text: "- 0: (current) [light](http://x/old/)\n- 1: [light](http://x/light/1/)"}, nil
	case selects && index == 1:
		m.closed = true
		return reply{IsError: true, Text: "Error: Tab 1 not found"}, nil
	}
	return reply{Text: "- 0: (current) [light](http://x/light/1/)"}, nil
}

// A tab whose number changes between the listing and the choice is found all the same.
func TestArriveWhereNumbersMove(t *testing.T) {
	all := operators(t)
	page, err := all[len(all)-1].arrive(t.Context(), &chromium{}, &moving{}, &tab{url: "http://x/light/1/"})
	if page != 0 || err != nil {
		t.Errorf("%d, %v", page, err)
	}
}

// What a stage has found is printed, and not what was known before.
func TestWriteNews(t *testing.T) {
	var said bytes.Buffer
	before := values{confusions: 1, agentRounds: 2}
	writeNews(&said, operating{}.operatedRows(), before, values{confusions: 1, agentRounds: 2, wrongOnes: 0, wrongOf: 20})
	if got, want := said.String(), "  wrong successes on hostile pages: 0 of 20\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
