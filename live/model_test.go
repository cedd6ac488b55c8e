package live

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// stepped gives a registry's catalogs to a State.
type stepped struct {
	s  *State
	r  *registry.State
	at time.Time
}

func newStepped() *stepped {
	return &stepped{NewState(), registry.NewState(registry.Options{}), time.Unix(1000, 0)}
}

func (p *stepped) step(events ...registry.Event) {
	for _, e := range append(events, registry.FlushDue{}) {
		for _, effect := range p.r.Step(e) {
			if served, is := effect.(registry.SetCatalog); is {
				p.at = p.at.Add(time.Second)
				p.s.Step(Served{p.at, served.Catalog})
			}
		}
	}
}

func (p *stepped) tools(gen registry.Gen, names ...string) registry.ToolsReported {
	r := registry.ToolsReported{Page: "A", Gen: gen}
	for _, n := range names {
		r.Tools = append(r.Tools, &registry.PageTool{Name: n, Doc: gen, FrameURL: "https://a.example/", Script: "https://cdn.example/x.js"})
	}
	return r
}

func texts(all []Moment) string {
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s: %s\n", m.Kind, m.Text)
	}
	return b.String()
}

func TestATabsTimeline(t *testing.T) {
	p := newStepped()
	p.step(registry.PageOpened{Page: "A", URL: "about:blank"})
	p.step(registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"})
	p.step(p.tools(1, "x", "y"))
	p.step(p.tools(1, "y"))
	p.step(registry.PageChanged{Page: "A", Dialog: "dialog open: Sure?"})
	p.s.Step(Ended{Call{ID: 1, Began: p.at, Ended: p.at.Add(time.Second), Tool: "y", Tab: 1, Outcome: "ok"}})
	v := p.s.View(Filter{Tab: 1})
	const want = `navigation: opened at about:blank
navigation: a new document: https://a.example/
tools: registered: x, y
tools: gone: x
dialog: dialog open: Sure?
call: y: ok
`
	if got := texts(v.Past); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if v.One == nil || len(v.One.Frames) != 1 || len(v.One.Frames[0].Tools) != 1 || v.One.Frames[0].Tools[0].Script != "https://cdn.example/x.js" || v.One.Tokens == 0 || v.One.Frames[0].Tools[0].Origin != "https://a.example" {
		t.Errorf("the tab is shown as %+v", v.One)
	}
	p.s.Step(Began{Call{ID: 2, Began: p.at, Name: "webmcp_a_example_page0_y"}})
	if past := p.s.View(Filter{Tab: 1}).Past; len(past) != len(v.Past)+1 || past[len(past)-1].Text != "y: running" || !past[len(past)-1].Running {
		t.Errorf("while a call goes on: %s", texts(past))
	}
	p.s.Step(Ended{Call{ID: 2, Began: p.at, Ended: p.at, Tool: "y", Tab: 1, Outcome: "ok"}})
	p.step(registry.PageClosed{Page: "A"})
	if got := texts(p.s.View(Filter{Tab: 1}).Past); !strings.HasSuffix(got, "navigation: closed\n") {
		t.Errorf("once it is closed: %s", got)
	}
}

// TestTree: tabs stand with their browsers, and tools with the frames that registered them.
func TestTree(t *testing.T) {
	p := newStepped()
	p.step(registry.BrowsersNamed{Browsers: []registry.NamedBrowser{{Name: "work", Labels: []string{"eu"}}, {Name: "home"}}}, registry.BrowserChanged{Browser: "work"},
		registry.PageOpened{Page: "A", Browser: "work", URL: "https://a.example/"}, registry.PageOpened{Page: "B", Browser: "gone", URL: "https://b.example/"},
		registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
		registry.FramesReported{Page: "A", Gen: 1, Frames: []registry.Frame{{ID: "f", Doc: 2, URL: "https://f.example/"}, {ID: "g", Doc: 3, URL: "https://g.example/"}}},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{
			{Name: "x", Frame: "f", Doc: 2, FrameURL: "https://f.example/"}, {Name: "y", Frame: "main", Doc: 1, FrameURL: "https://a.example/"},
		}})
	v := p.s.View(Filter{Tab: 1})
	var b strings.Builder
	for _, browser := range v.Browsers {
		fmt.Fprintf(&b, "%s %v %q:", browser.Name, browser.Labels, browser.Status)
		for _, tab := range browser.Tabs {
			fmt.Fprintf(&b, " %s, %d tools in %d frames", tab.URL, tab.Tools, tab.InFrames)
		}
		b.WriteByte('\n')
	}
	for _, f := range v.One.Frames {
		fmt.Fprintf(&b, "%s %v", f.URL, f.Main)
		for _, tool := range f.Tools {
			b.WriteString(" " + tool.Tool)
		}
		b.WriteByte('\n')
	}
	const want = `work [eu] "": https://a.example/, 2 tools in 2 frames
home [] "not connected yet; try again in a moment":
gone [] "": https://b.example/, 0 tools in 0 frames
https://a.example/ true y
https://f.example/ false x
https://g.example/ false
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", &b, want)
	}
	if len(p.s.View(Filter{Text: "home"}).Browsers) != 2 || len(p.s.View(Filter{Text: "b.example"}).Browsers[0].Tabs) != 0 {
		t.Error("a filter hides browsers, or no tabs")
	}
}

// TestFramesAreNested: each frame stands below the one that it is in, whatever a page tells.
func TestFramesAreNested(t *testing.T) {
	p := newStepped()
	frames := []registry.Frame{
		{ID: "deep", Doc: 2, In: "inner"}, {ID: "first", Doc: 3}, {ID: "inner", Doc: 4, In: "last"}, {ID: "last", Doc: 5},
		{ID: "lost", Doc: 6, In: "gone"}, {ID: "round", Doc: 7, In: "about"}, {ID: "about", Doc: 8, In: "round"}, {ID: "self", Doc: 9, In: "self"},
	}
	for i, f := range frames {
		frames[i].URL = "https://a.example/" + string(f.ID)
	}
	p.step(registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"}, registry.FramesReported{Page: "A", Gen: 1, Frames: frames})
	var got []string
	for _, f := range p.s.View(Filter{Tab: 1}).One.Frames {
		got = append(got, fmt.Sprint(strings.TrimPrefix(f.URL, "https://a.example/"), f.Depth, f.In))
	}
	if want := "0 0 first1 0 last1 0 inner2 2 deep3 3 lost1 0 round1 0 about2 6 self1 0"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestTreeIsBounded: a page may have as many frames and tools as it likes.
func TestTreeIsBounded(t *testing.T) {
	p := newStepped()
	frames := registry.FramesReported{Page: "A", Gen: 1}
	tools := registry.ToolsReported{Page: "A", Gen: 1}
	for i := range 2 * maxShownTools {
		id := registry.FrameID(fmt.Sprint("f", i))
		frames.Frames = append(frames.Frames, registry.Frame{ID: id, Doc: registry.Gen(i + 2), URL: "https://a.example/"})
		tools.Tools = append(tools.Tools, &registry.PageTool{Name: fmt.Sprint("t", i), Frame: id, Doc: registry.Gen(i + 2), FrameURL: "https://a.example/"})
	}
	p.step(registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"}, frames, tools)
	one := p.s.View(Filter{Tab: 1}).One
	shown := 0
	for _, f := range one.Frames {
		shown += len(f.Tools)
	}
	if len(one.Frames) != maxShownFrames+1 || one.MoreFrames != 2*maxShownTools-maxShownFrames || len(one.Frames[0].Tools) != 0 || shown != maxShownFrames || shown+one.MoreTools != one.Tools {
		t.Errorf("%d frames and %d more, %d tools and %d more of %d", len(one.Frames), one.MoreFrames, shown, one.MoreTools, one.Tools)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	p := newStepped()
	p.step(registry.PageOpened{Page: "A", URL: "https://a.example/"})
	huge := Cut(json.RawMessage(strings.Repeat("x", 1<<20)))
	for i := range uint64(20_000) {
		p.s.Step(Began{Call{ID: i}})
		p.s.Step(Ended{Call{ID: i, Tab: 1, Args: huge}})
	}
	for i := range 500 {
		id := registry.PageID(fmt.Sprint("B", i))
		p.step(registry.PageOpened{Page: id, URL: "https://b.example/"})
		p.step(registry.PageClosed{Page: id})
	}
	if len(huge.JSON) != MaxText || cap(huge.JSON) > 2*MaxText || len(p.s.over) > 2*MaxCalls || len(p.s.past[1].moments) > MaxMoments || len(p.s.past) > MaxClosed+1 || len(p.s.closed) > MaxClosed || len(p.s.running) > 0 {
		t.Errorf("%d bytes of a call, %d calls, %d moments, %d tabs, %d closed, %d running", cap(huge.JSON), len(p.s.over), len(p.s.past[1].moments), len(p.s.past), len(p.s.closed), len(p.s.running))
	}
	for i := range uint64(5000) {
		p.s.Step(Began{Call{ID: 100_000 + i}})
	}
	if v := p.s.View(Filter{}); len(p.s.running) != maxRunning || len(v.Calls) != shownCalls || len(v.Running) != shownCalls || v.MoreCall != maxRunning+MaxCalls-2*shownCalls {
		t.Errorf("%d run, %d and %d are shown, %d more", len(p.s.running), len(v.Running), len(v.Calls), v.MoreCall)
	}
}

func TestFilters(t *testing.T) {
	s := NewState()
	at := time.Unix(1000, 0)
	for i, c := range []Call{
		{Session: "stdio-1", Tool: "buy", Tab: 1, Outcome: "ok"},
		{Session: "stdio-1", Tool: "look", Tab: 2, Outcome: "error"},
		{Session: "http-2", Name: "list_tabs", Outcome: "ok"},
	} {
		c.ID, c.Began = uint64(i), at.Add(time.Duration(i))
		s.Step(Ended{c})
	}
	s.Step(Began{Call{ID: 9, Session: "http-2", Name: "click", Began: at}})
	for query, want := range map[string]string{
		"":                            "click list_tabs look buy",
		"tab=1":                       "buy",
		"client=http-2":               "click list_tabs",
		"outcome=ok":                  "click list_tabs buy",
		"outcome=running":             "click",
		"q=LO":                        "look",
		"client=stdio-1&outcome=ok":   "buy",
		"outcome=not+ok":              "click look",
		"sort=tool":                   "click buy list_tabs look",
		"sort=-tool&most=400&call=2":  "click look list_tabs buy",
		"tab=-3&span=nonsense&q=":     "click list_tabs look buy",
		"client=%3Cscript%3E&tab=%zz": "",
	} {
		values, _ := url.ParseQuery(query)
		f := ReadFilter(values)
		var got []string
		v := s.View(f)
		for _, c := range append(v.Running, v.Calls...) {
			got = append(got, c.title())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q shows %q, want %q", query, got, want)
		}
		again, err := url.ParseQuery(f.Query())
		if err != nil || ReadFilter(again) != f {
			t.Errorf("%q becomes %q, which is another filter", query, f.Query())
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		``:        `` + "|true",
		`{"a":1}`: "{\n  \"a\": 1\n}|true",
		`{"password":"x","Api-Key":{"y":[1]},"access_token":null}`: "{\n  \"password\": \"[masked]\",\n  \"Api-Key\": \"[masked]\",\n  \"access_token\": \"[masked]\"\n}|true",
		`[{"card_number":4111}]`:                                   "[\n  {\n    \"card_number\": \"[masked]\"\n  }\n]|true",
		`{"pin":1,"spin":2}`:                                       "{\n  \"pin\": \"[masked]\",\n  \"spin\": 2\n}|true",
		`{"to":"Ann","password":"hunt`:                             "{\n  \"to\": \"Ann\",\n  \"password\": \"[masked]\"…|false",
		`{"to":"An`:                                                "{\n  \"to\": …|false",
		`{"n":123456789012345678901234}`:                           "{\n  \"n\": 123456789012345678901234\n}|true",
		`{"x":"<&>"}`:                                              "{\n  \"x\": \"<&>\"\n}|true",
		`{"paid":"with 4111 1111 1111 1111","card":4111111111111111,"code":"482913"}`: "{\n  \"paid\": \"with [masked]\",\n  \"card\": \"[masked]\",\n  \"code\": \"[masked]\"\n}|true",
		`not json, password=hunter2`: "…|false",
	} {
		shown, whole := Masked([]byte(text))
		if got := fmt.Sprintf("%s|%v", shown, whole); got != want {
			t.Errorf("%s is shown as\n%s\nwant\n%s", text, got, want)
		}
	}
	if args, hid := Unhidden("{\n  \"to\": \"Ann\",\n  \"password\": \"[masked]\"\n}"); !hid || string(args) != `{"to":"Ann"}` {
		t.Errorf("without what is hidden: %s %v", args, hid)
	}
}

func TestForms(t *testing.T) {
	schema := json.RawMessage(`{"properties":{"n":{"type":"integer"},"s":{"type":"string","description":"Says"},"b":{"type":"boolean"},"e":{"enum":["a",1]},"o":{"type":"object"},"x":true},"required":["s"]}`)
	fields := Fields(schema, json.RawMessage(`{"s":"\"hi\"","n":3,"o":{"k":[1]}}`))
	var got []string
	for _, f := range fields {
		got = append(got, fmt.Sprint(f.Name, " ", f.Kind, " ", f.Required, " ", f.Value))
	}
	if want := "b switch false |e choice false |n number false 3|o json false {\"k\":[1]}|s text true \"hi\"|x json false "; strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
	by := map[string]string{"n": " 4 ", "b": "true", "e": `"a"`, "o": ""}
	args, wrong := Arguments(fields, func(name string) string { return by[name] })
	if wrong != 0 || string(args) != `{"b":true,"e":"a","n":4,"s":""}` {
		t.Errorf("%s, %d wrong", args, wrong)
	}
	by = map[string]string{"n": "0x10", "o": "{", "b": "yes", "s": "kept"}
	if args, wrong := Arguments(fields, func(name string) string { return by[name] }); wrong != 3 || args != nil {
		t.Errorf("%s, %d wrong", args, wrong)
	}
	for _, f := range fields {
		if f.Value != by[f.Name] || (f.Problem != "") != (f.Name == "n" || f.Name == "o" || f.Name == "b") {
			t.Errorf("%s: %q, %q", f.Name, f.Value, f.Problem)
		}
	}
}

// TestLinesOfTexts: a text keeps its lines from one call to the next.
func TestLinesOfTexts(t *testing.T) {
	schema := json.RawMessage(`{"properties":{"day":{"type":"string","format":"date"},"n":{"type":"number"},"note":{"type":"string"},"odd":{"type":"string","format":7}}}`)
	lines := func(fields []Field) (all string) {
		for _, f := range fields {
			if f.Lines {
				all += f.Name + " "
			}
		}
		return all
	}
	fields := Fields(schema, nil)
	if got := lines(fields); got != "note " {
		t.Errorf("texts of several lines: %s", got)
	}
	by := map[string]string{"day": "2026-11-23\r\nor later", "n": "1\r\n2", "note": "\r\none\r\n\r\ntwo\n"}
	if _, wrong := Arguments(fields, func(name string) string { return by[name] }); wrong != 1 || lines(fields) != "day note " {
		t.Errorf("%d wrong, texts of several lines: %s", wrong, lines(fields))
	}
	delete(by, "n")
	args, wrong := Arguments(fields, func(name string) string { return by[name] })
	if want := `{"day":"2026-11-23\nor later","note":"\none\n\ntwo\n"}`; wrong != 0 || string(args) != want {
		t.Errorf("%s, %d wrong, want %s", args, wrong, want)
	}
	if again := Fields(schema, args); lines(again) != "day note " || again[2].Value != "\none\n\ntwo\n" {
		t.Errorf("once more: %+v", again)
	}
}

func TestExportedLinesAreJSON(t *testing.T) {
	c := Call{Began: time.Unix(1000, 0), Ended: time.Unix(1001, 0), Tool: "pay", Outcome: "ok"}
	c.Args = Cut(json.RawMessage(`{"password":"x"}`))
	c.Result = Cut(json.RawMessage(`{"a":"` + strings.Repeat("x", MaxText)))
	raw, err := json.Marshal(c.Line())
	if err != nil || strings.Contains(string(raw), `"x"`) || !strings.Contains(string(raw), `"ms":1000`) || !strings.Contains(string(raw), `"args":{"password":"[masked]"}`) {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestMaskedIsBounded: what is kept of a text isn't blown up where it is shown.
func TestMaskedIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"nested": strings.Repeat("[", 20) + "1" + strings.Repeat(",1", MaxText/2-20) + strings.Repeat("]", 20),
		"open":   strings.Repeat("[", MaxText),
	} {
		if shown, _ := Masked([]byte(text)); len(shown) > 4*MaxText {
			t.Errorf("%s: %d bytes are shown as %d", name, len(text), len(shown))
		}
	}
}

func TestHAR(t *testing.T) {
	p := newStepped()
	p.step(registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.PageChanged{Page: "A", URL: "https://a.example/", Title: "Shop"})
	at := time.Unix(1000, 0)
	p.s.Step(Ended{Call{ID: 7, Began: at, Asked: at.Add(time.Millisecond), Answered: at.Add(4 * time.Millisecond), Ended: at.Add(6 * time.Millisecond), Session: "stdio-1", Name: "shop pay/x",
		Tool: "pay", Tab: 1, Outcome: "ok", Args: Cut(json.RawMessage(`{"password":"hunter2","to":"Ann"}`)), Result: Cut(json.RawMessage(`{"content":[]}`))}})
	p.s.Step(Ended{Call{ID: 8, Began: at, Ended: at.Add(time.Second), Name: "list_tabs", Outcome: "refused", Result: Cut(json.RawMessage(`{"a":"` + strings.Repeat("x", MaxText) + `"}`))}})
	p.s.Step(Began{Call{ID: 9, Began: at, Name: "goes on"}})
	raw, err := json.MarshalIndent(p.s.HAR(Filter{}, "1.2.3"), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var har struct {
		Log struct {
			Pages   []struct{ ID, Title string }
			Entries []struct {
				Pageref string
				Time    float64
				Timings struct{ Blocked, Send, Wait, Receive float64 }
				Request struct {
					URL      string
					PostData struct{ Text string }
				}
				Response struct {
					Status  int
					Content struct {
						Size          int
						Text, Comment string
					}
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &har); err != nil {
		t.Fatal(err)
	}
	if len(har.Log.Entries) != 2 || len(har.Log.Pages) != 1 || har.Log.Pages[0].Title != "Shop" {
		t.Fatalf("%s", raw)
	}
	pay, list := har.Log.Entries[0], har.Log.Entries[1]
	if pay.Pageref != har.Log.Pages[0].ID || pay.Time != 6 || pay.Timings.Blocked != 1 || pay.Timings.Wait != 3 || pay.Timings.Receive != 2 || pay.Response.Status != 200 || pay.Request.URL != "mcp://webmcp-hub/tools/call/shop%20pay%2Fx" {
		t.Errorf("%+v", pay)
	}
	if want := `{"id":7,"jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"password":"[masked]","to":"Ann"},"name":"shop pay/x"}}`; pay.Request.PostData.Text != want {
		t.Errorf("the request is %s", pay.Request.PostData.Text)
	}
	if want := `{"id":7,"jsonrpc":"2.0","result":{"content":[]}}`; pay.Response.Content.Text != want || pay.Response.Content.Comment != "" {
		t.Errorf("the response is %+v", pay.Response)
	}
	if list.Response.Status != 403 || list.Timings.Blocked != 1000 || list.Response.Content.Size != MaxText+8 || list.Response.Content.Comment == "" || !json.Valid([]byte(list.Response.Content.Text)) {
		t.Errorf("%+v", list)
	}
}

// TestStormsLeaveAnHour: whatever changes how often, an hour of a tab's history is kept, in bounded memory; what isn't
// kept any more is counted.
func TestStormsLeaveAnHour(t *testing.T) {
	s, at, noted := NewState(), time.Unix(1_000_000, 0), 0
	for i := range 3 * 3600 * 10 { // ten a second for three hours
		at = at.Add(100 * time.Millisecond)
		s.note(1, Moment{At: at, Kind: []Kind{Tools, Navigation, CallMade, Dialog}[i%4], Text: fmt.Sprint(i)})
		noted++
	}
	v := s.View(Filter{Tab: 1})
	kept := 0
	for _, m := range v.Past {
		kept += 1 + m.More
	}
	if len(v.Past) > MaxMoments || kept+v.Earlier != noted || at.Sub(v.Past[0].At) < time.Hour || v.Past[len(v.Past)-1].Text != fmt.Sprint(noted-1) {
		t.Errorf("%d moments for %d, and %d earlier ones of %d; the first is %v old", len(v.Past), kept, v.Earlier, noted, at.Sub(v.Past[0].At))
	}
	for i, m := range v.Past {
		if i > 0 && m.At.Before(v.Past[i-1].At) || m.end().Before(m.At) {
			t.Fatalf("the order is lost at %d", i)
		}
	}
}

// TestPersonsTime: the time that a call waits for a person isn't the hub's.
func TestPersonsTime(t *testing.T) {
	s, at := NewState(), time.Unix(1000, 0)
	s.Step(Began{Call{ID: 3, Session: "stdio-1", Name: "pay", Began: at}})
	s.Step(Began{Call{ID: 4, Session: "stdio-1", Name: "look", Began: at}})
	if id := s.waits(&question{Question: calls.Question{Session: "stdio-1"}, about: &Action{HubName: "pay"}}); id != 3 {
		t.Errorf("the question is about call %d", id)
	}
	s.Step(Ended{Call{ID: 3, Began: at, Person: 20 * time.Second, Asked: at.Add(21 * time.Second), Answered: at.Add(23 * time.Second), Ended: at.Add(24 * time.Second), Outcome: "ok"}})
	c, _ := s.Call(3)
	var got []string
	for _, part := range c.Split() {
		got = append(got, fmt.Sprint(part.Name, " ", part.Text, " ", part.X, " ", part.Width))
	}
	if want := "queue 1.0 s 0 41; a person 20.0 s 41 833; page 2.0 s 874 83; after 1.0 s 957 41"; strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
}

// TestTabsAndPages: wherever a tab's number stands, the page{idx} of its tools' names does, too. A call keeps the one
// of its time.
func TestTabsAndPages(t *testing.T) {
	p := newStepped()
	p.step(registry.PageOpened{Page: "B", URL: "https://b.example/"}, registry.PageOpened{Page: "A", URL: "https://a.example/"})
	p.step(p.tools(0, "x"))
	p.s.Step(Began{Call{ID: 1, Name: "webmcp_a_example_page1_x"}})
	p.step(registry.PageClosed{Page: "B"})
	p.s.Step(Ended{Call{ID: 1, Name: "webmcp_a_example_page1_x", Tab: 2, Outcome: "ok"}})
	p.s.Step(Began{Call{ID: 2, Name: "webmcp_a_example_page0_x"}})
	v := p.s.View(Filter{Tab: 2, Chosen: 1})
	page := Page{Filter: Filter{Tab: 2}, View: v, Running: []ShownCall{{Call: v.Running[0]}}, Calls: []ShownCall{{Call: v.Calls[0]}},
		Chosen: &Details{Call: *v.Call}, Questions: []Question{{About: &Action{Tab: 2}}}, Clients: []Client{{Focus: 2}}}
	for section, want := range map[string]string{"running": "Tab 2, page0", "calls": "Tab 2, page1", "call": "Tab 2, page1",
		"questions": "Tab 2, page0", "one": "Tab 2, page0", "tabs": "<small>page0</small>", "clients": "tab 2, page0, in focus"} {
		var html strings.Builder
		if err := Render(&html, section, page); err != nil || !strings.Contains(html.String(), want) {
			t.Errorf("%s lacks %q: %v %s", section, want, err, &html)
		}
	}
}
