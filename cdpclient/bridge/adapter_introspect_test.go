package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/pagemcp"
)

// introspected opens a page in a tab where the adapter makes tools, and waits
// until it has made the one of that name.
func introspected(t *testing.T, conn *cdpclient.Conn, url, name string) (*bridgeTab, *bridgeServer) {
	t.Helper()
	tab := newBridgeTab(t, conn)
	tab.install()
	tab.introspect()
	tab.navigate(url)
	s := tab.server(url[strings.LastIndex(url, "/"):])
	tab.listed(s, name, func(names []string) bool { return slices.Contains(names, name) })
	return tab, s
}

// listed waits until the adapter's list is as wanted.
func (tab *bridgeTab) listed(s *bridgeServer, what string, ok func(names []string) bool) []pagemcp.Tool {
	tab.t.Helper()
	for {
		seen := 0
		tab.wait("the count", func() bool { seen = s.changes; return true })
		list, err := s.ListTools(tab.t.Context())
		if err != nil {
			tab.t.Fatal(err)
		}
		names := []string{}
		for _, tool := range list {
			names = append(names, tool.Name)
		}
		if ok(names) {
			return list
		}
		tab.wait(fmt.Sprintf("%s in %q", what, names), func() bool { return s.changes > seen })
	}
}

func (tab *bridgeTab) use(s *bridgeServer, name, args string) string {
	tab.t.Helper()
	got, err := s.CallTool(tab.t.Context(), name, json.RawMessage(args), nil)
	if err != nil {
		return "error: " + err.Error()
	}
	return string(got)
}

func introspectPage(t *testing.T) string {
	t.Helper()
	html, err := os.ReadFile(filepath.Join("testdata", "introspect.html"))
	if err != nil {
		t.Fatal(err)
	}
	many := strings.Builder{}
	for n := range 50 {
		fmt.Fprintf(&many, `<form><input name=a%d><button>Send %d</button></form><button>Press %d</button><a href="/l%d">Link %d</a><input aria-label="Field %d">`, n, n, n, n, n, n)
	}
	controls, err := os.ReadFile(filepath.Join("testdata", "controls.html"))
	if err != nil {
		t.Fatal(err)
	}
	return serveBridgePages(t, "", map[string]string{
		"/shop":     string(html),
		"/controls": string(controls),
		"/many":     `<footer><button>Foot</button></footer>` + many.String(),
		"/long":     `<p>` + strings.Repeat("word ", 9000) + `</p>`,
		"/defaults": defaultsPage,
		"/late":     `<p>nothing yet</p>`,
		"/leaving":  `<button onclick="setTimeout(() => { navigation.addEventListener('navigate', () => { for (;;); }); location.href = '/long'; })">Leave</button>`,
		"/named":    `<form toolname="book" tooldescription="d"><input name=who></form><button>Press</button>`,
	})
}

func TestIntrospect(t *testing.T) {
	base := introspectPage(t)
	for _, native := range []bool{false, true} {
		t.Run(fmt.Sprintf("WebMCP of Chrome's own %v", native), func(t *testing.T) {
			conn := bridgeChrome(t, native)
			t.Run("a page", func(t *testing.T) { testIntrospectedShop(t, conn, base) })
			t.Run("controls", func(t *testing.T) { testIntrospectedControls(t, conn, base) })
			t.Run("defaults", func(t *testing.T) { testIntrospectedDefaults(t, conn, base) })
			t.Run("as it changes", func(t *testing.T) { testIntrospectedChanges(t, conn, base) })
			t.Run("bounds", func(t *testing.T) { testIntrospectedBounds(t, conn, base) })
			t.Run("as it leaves", func(t *testing.T) { testIntrospectedLeaving(t, conn, base) })
		})
	}
}

func testIntrospectedShop(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/shop", "click_add")
	tab.loaded()
	list := tab.listed(s, "all", func(names []string) bool { return slices.Contains(names, "submit_sign_in") })
	names, tools := []string{}, map[string]pagemcp.Tool{}
	for _, tool := range list {
		names, tools[tool.Name] = append(names, tool.Name), tool
		if !strings.Contains(string(tool.Meta), `"dom"`) {
			t.Errorf("%s is %s", tool.Name, tool.Meta)
		}
	}
	slices.Sort(names)
	want := []string{"click", "click_add", "click_add_2", "click_close_it", "click_forgot_it", "click_icon", "click_menu",
		"enter_loose_secret", "enter_memo", "get_page_content", "open_cart", "open_help_pages", "search", "search_filter_goods", "submit_sign_in"}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
	all, _ := json.Marshal(list)
	for _, never := range []string{"typed", "hidden", "secret#", "token", "upload", "trap"} {
		if strings.Contains(string(all), never) {
			t.Errorf("the tools have %q in them: %s", never, all)
		}
	}
	var schema struct {
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(tools["submit_sign_in"].InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	for name, description := range map[string]string{
		"mail": "Your mail", "secret": "Password", "nick_name": "Nick name", "age": "Age in years", "plan": "", "colour": "Colour",
		"elements": "", "id": "", "parentNode": "", "note": "",
	} {
		p, ok := schema.Properties[name]
		if got, _ := p["description"].(string); !ok || got != description {
			t.Errorf("%s is %v, want %q", name, p, description)
		}
		delete(schema.Properties, name)
	}
	if len(schema.Properties) > 0 || !slices.Equal(schema.Required, []string{"mail", "secret"}) {
		t.Errorf("there is more: %v, required %q", schema.Properties, schema.Required)
	}

	tab.use(s, "submit_sign_in", `{"mail":"a@b.test","secret":"pw","nick_name":"Z","age":20,"plan":"l","colour":"r"}`)
	tab.use(s, "click_add", `{}`)
	tab.use(s, "click_add_2", `{}`)
	tab.use(s, "click_close_it", `{}`)
	tab.use(s, "click_icon", `{}`)
	tab.use(s, "search_filter_goods", `{"query":"tea"}`)
	const logged = `["mail=a@b.test secret=pw csrf=hidden trap= plan=l colour=r elements= id= parentNode= note=typed note","one","two","closed","icon","filter tea"]`
	if got := tab.eval(`logged`); got != logged {
		t.Errorf("the page logged %s, want %s", got, logged)
	}
	if got := tab.use(s, "submit_sign_in", `{"csrf":"x"}`); !strings.Contains(got, "no such parameter") {
		t.Errorf("a hidden field was set: %s", got)
	}
	content := tab.use(s, "get_page_content", `{}`)
	if !strings.Contains(content, "A shop without WebMCP") || !strings.Contains(content, "Some words.") {
		t.Errorf("the page's text is %s", content)
	}
	for _, never := range []string{"typed", "hidden", "tea", "pw", "a@b"} {
		if strings.Contains(content, never) {
			t.Errorf("the page's text has %q in it: %s", never, content)
		}
	}
}

func testIntrospectedControls(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/controls", "enter_by_keys")
	tab.loaded()
	list := tab.listed(s, "all", func(names []string) bool { return slices.Contains(names, "submit_mute") })
	var names []string
	for _, tool := range list {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	want := []string{"enter_by_keys", "enter_deaf", "enter_password", "get_page_content", "open_chapter_one", "open_chapter_two", "search_live",
		"set_colour", "set_day", "set_guests", "set_news", "set_size", "set_volume", "submit_mute"}
	if !slices.Equal(names, want) {
		t.Errorf("the tools are %q, want %q", names, want)
	}
	for _, c := range []struct{ tool, args, logged, says string }{
		{"set_news", `{"value":true}`, `["news true"]`, "It was set."},
		{"set_size", `{"value":"l"}`, `["size l"]`, ""},
		{"set_size", `{"value":"xl"}`, `[]`, "Invalid value"},
		{"set_day", `{"value":"2026-12-24"}`, `["day 2026-12-24"]`, ""},
		{"set_volume", `{"value":11}`, `["volume 11"]`, ""},
		{"set_guests", `{"value":3}`, `["guests 3"]`, ""},
		{"set_colour", `{"value":"b"}`, `["blue"]`, ""},
		{"enter_password", `{"text":"ab"}`, `["pw 1","pw 2"]`, ""},
		{"enter_by_keys", `{"text":"a 1"}`, `["keydown a KeyA","keypress a","beforeinput a","input a","keyup a",` +
			`"keydown   Space","keypress  ","beforeinput  ","input  ","keyup  ","keydown 1 Digit1","keypress 1","beforeinput 1","input 1","keyup 1",` +
			`"keydown Enter Enter","keypress Enter","keyup Enter"]`, `New in the page: \"Found for a 1\"`},
		{"enter_deaf", `{"text":"x"}`, `[]`, "Nothing in the page has changed since"},
		{"search_live", `{"q":"tea"}`, `[]`, `New in the page: \"Live tea\"`},
		{"submit_mute", `{"m":"x"}`, `[]`, "Nothing in the page has changed since"},
	} {
		got := tab.use(s, c.tool, c.args)
		if !strings.Contains(got, c.says) {
			t.Errorf("%s says %s, want %s", c.tool, got, c.says)
		}
		if logged := tab.eval(`logged.splice(0)`); logged != c.logged {
			t.Errorf("%s: the page logged %s, want %s", c.tool, logged, c.logged)
		}
	}
	if got := tab.eval(`keys.value`); got != `"a 1"` {
		t.Errorf("the field has %s", got)
	}
}

// defaultsPage has fields with values that the page gave them, and some that it keeps to itself. Two take what is entered
// over into their attributes, as React does.
var defaultsPage = `<form aria-label=Order><input name=who value=Ada><input name=none><input name=age type=number value=30><input name=day type=date value=2026-12-24>
<input name=wrong type=date value=tomorrow><input name=far type=number value=x><textarea name=note>Ring twice</textarea>
<input type=checkbox name=gift checked><input type=checkbox name=plain>
<input type=checkbox name=extras value=a checked><input type=checkbox name=extras value=b>
<input type=radio name=size value=s><input type=radio name=size value=l checked><input type=radio name=pick value=p>
<select name=plan><option value=s>S<option value=l selected>L</select><select name=open><option value=s>S</select>
<select name=tags multiple><option value=x selected>X<option value=y>Y</select>
<input type=password name=password value=secret1><input type=hidden name=csrf value=secret2><input name=code autocomplete=one-time-code value=secret3>
<input name=card autocomplete="billing cc-number" value=secret4><input name=long value="` + strings.Repeat("secret5", 50) + `">
<input name=mirror value=before oninput="this.setAttribute('value', this.value)"><button>Order</button></form>
<input aria-label=Loose value=lost oninput="this.setAttribute('value', this.value)"><label>News <input type=checkbox checked></label><input aria-label=Own type=password value=secret6>`

func testIntrospectedDefaults(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/defaults", "set_news")
	tab.loaded()
	// defaults are those of the tools when there is one of that name.
	defaults := func(name string) map[string]string {
		t.Helper()
		list := tab.listed(s, name, func(names []string) bool { return slices.Contains(names, name) })
		if all, _ := json.Marshal(list); strings.Contains(string(all), "secret") {
			t.Errorf("the tools have a secret in them: %s", all)
		}
		found := map[string]string{}
		for _, tool := range list {
			var schema struct {
				Properties map[string]struct {
					Default   json.RawMessage
					WriteOnly bool
				}
			}
			if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
				t.Fatal(err)
			}
			for property, p := range schema.Properties {
				if p.WriteOnly {
					found[tool.Name+" "+property] = "secret"
				}
				if p.Default != nil && tool.Name != "get_page_content" {
					found[tool.Name+" "+property] = string(p.Default)
				}
			}
		}
		return found
	}
	want := map[string]string{
		"who": `"Ada"`, "age": `30`, "day": `"2026-12-24"`, "note": `"Ring twice"`, "gift": `true`, "plain": `false`, "extras": `["a"]`, "size": `"l"`,
		"plan": `"l"`, "tags": `["x"]`, "mirror": `"before"`,
	}
	whole := map[string]string{"enter_loose text": `"lost"`, "set_news value": `true`, "enter_own text": "secret", "submit_order password": "secret", "submit_order code": "secret",
		"submit_order card": "secret"}
	for property, value := range want {
		whole["submit_order "+property] = value
	}
	if got := defaults("set_news"); !maps.Equal(got, whole) {
		t.Errorf("the defaults are %v, want %v", got, whole)
	}

	delete(whole, "submit_order mirror")
	tab.eval(`document.querySelector("[name=mirror]").focus(), 0`)
	tab.must(tab.sid, "Input.insertText", map[string]string{"text": "secret of the user"}, nil)
	tab.eval(`document.body.append(Object.assign(document.createElement("button"), {textContent: "Focused"})), 0`)
	if got := defaults("click_focused"); !maps.Equal(got, whole) {
		t.Errorf("while the user types: %v, want %v", got, whole)
	}
	tab.eval(`document.querySelector("[name=mirror]").blur(), document.body.append(Object.assign(document.createElement("button"), {textContent: "Left"})), 0`)
	if got := defaults("click_left"); !maps.Equal(got, whole) {
		t.Errorf("when the user has typed: %v, want %v", got, whole)
	}
	if got := tab.eval(`document.querySelector("[name=mirror]").getAttribute("value")`); !strings.Contains(got, "secret of the user") {
		t.Errorf("the page's attribute is %s", got)
	}

	tab.eval(`document.forms[0].reset(), document.body.append(Object.assign(document.createElement("button"), {textContent: "Reset"})), 0`)
	whole["submit_order mirror"] = want["mirror"]
	if got := defaults("click_reset"); !maps.Equal(got, whole) {
		t.Errorf("when the form was reset: %v, want %v", got, whole)
	}
	again := `document.body.insertAdjacentHTML("beforeend", "<input aria-label=Again value='secret of the user'>"), 0`
	tab.eval(again)
	if got := defaults("enter_again"); !maps.Equal(got, whole) {
		t.Errorf("in a control that the page has made again: %v, want %v", got, whole)
	}

	tab, s = introspected(t, conn, base+"/defaults", "enter_loose")
	tab.loaded()
	if got := defaults("enter_loose"); !maps.Equal(got, whole) {
		t.Errorf("anew: %v, want %v", got, whole)
	}
	tab.use(s, "enter_loose", `{"text":"secret of a client"}`)
	if got := tab.eval(`document.querySelector("[aria-label=Loose]").getAttribute("value")`); !strings.Contains(got, "secret of a client") {
		t.Errorf("the page's attribute is %s", got)
	}
	tab.eval(again)
	got := defaults("enter_again")
	delete(whole, "enter_loose text") // where the control has the focus
	delete(got, "enter_loose text")
	if !maps.Equal(got, whole) {
		t.Errorf("when the hub has entered something: %v, want %v", got, whole)
	}
}

func testIntrospectedChanges(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/late", "get_page_content")
	has := func(want ...string) {
		t.Helper()
		tab.listed(s, strings.Join(want, " "), func(names []string) bool {
			return slices.Equal(slices.Sorted(slices.Values(names)), append(want, "get_page_content"))
		})
	}
	tab.eval(`document.body.innerHTML = "<button id=a onclick='document.title = this.id'>Go</button>", 0`)
	has("click_go")
	// The one that was there keeps its name, though another comes before it.
	tab.eval(`document.body.insertAdjacentHTML("afterbegin", "<button id=b onclick='document.title = this.id'>Go</button>"), 0`)
	has("click_go", "click_go_2")
	tab.use(s, "click_go", `{}`)
	if got := tab.eval(`document.title`); got != `"a"` {
		t.Errorf("click_go clicks %s", got)
	}
	tab.eval(`a.remove(), 0`)
	has("click_go_2")
	tab.eval(`b.disabled = true, 0`)
	if got := tab.use(s, "click_go_2", `{}`); !strings.Contains(got, "disabled") && !strings.Contains(got, "not found") {
		t.Errorf("a disabled button was clicked: %s", got)
	}
	has()
	tab.eval(`document.open(), document.write("<title>2</title><button>New</button>"), document.close(), 0`)
	has("click_new")
}

func testIntrospectedBounds(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/many", "click_press_1")
	tab.loaded()
	counts := map[string]int{}
	tab.listed(s, "all", func(names []string) bool {
		clear(counts)
		for _, name := range names {
			kind, _, _ := strings.Cut(name, "_")
			counts[kind]++
		}
		return counts["submit"] == 30
	})
	if counts["click"] != 30 || counts["open"] != 30 || counts["enter"] != 10 || counts["get"] != 1 {
		t.Errorf("there are %v", counts)
	}
	const out = "Shown in the page, but left out of the tools, which would be too many: 20 forms, 40 fields, 41 buttons, 20 links."
	if got := tab.use(s, "get_page_content", `{}`); !strings.Contains(got, out) {
		t.Errorf("the page's text doesn't say what was left out: %s", got)
	}

	tab, s = introspected(t, conn, base+"/long", "get_page_content")
	tab.loaded()
	begin, end := tab.use(s, "get_page_content", `{}`), tab.use(s, "get_page_content", `{"offset":40000}`)
	if len(begin) > 20300 || !strings.Contains(begin, `[Characters 0 to 20000 of 44999.`) || len(end) > 5100 || strings.Contains(end, "[") {
		t.Errorf("%d and %d characters: %.100s … %s; %.100s", len(begin), len(end), begin, begin[len(begin)-150:], end)
	}
}

// testIntrospectedLeaving: the answer is out before the page goes. This page never comes so
// far as to settle a promise; others may be too slow for it.
func testIntrospectedLeaving(t *testing.T, conn *cdpclient.Conn, base string) {
	tab, s := introspected(t, conn, base+"/leaving", "click_leave")
	if got, want := tab.use(s, "click_leave", `{}`), "The button was clicked. The page goes to "+base+"/long"; !strings.Contains(got, want) {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

// TestIntrospectStandsBack: a page with tools of its own gets none.
func TestIntrospectStandsBack(t *testing.T) {
	base := introspectPage(t)
	tab, s := introspected(t, bridgeChrome(t, false), base+"/named", "book")
	tab.loaded()
	tab.listed(s, "book alone", func(names []string) bool { return slices.Equal(names, []string{"book"}) })
	tab.eval(`document.forms[0].removeAttribute("toolname"), 0`)
	tab.listed(s, "those that are made", func(names []string) bool { return slices.Contains(names, "click_press") })
	tab.eval(`document.forms[0].setAttribute("toolname", "again"), 0`)
	tab.listed(s, "the form's again", func(names []string) bool { return slices.Equal(names, []string{"again"}) })
}
