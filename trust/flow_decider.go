package trust

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"webmcphub/internal/jsonrpc"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust/flow"
)

// FlowDecider is a [Flow] that decides by what clients have read, see [flow.Book]. Any goroutine may call it.
type FlowDecider struct {
	keep func(pairs []string)

	mu      sync.Mutex
	book    *flow.Book
	follows map[string]func(remembered string) // called with what a client has read, by the client's session
	gone    departed
}

// NewFlowDecider returns a FlowDecider whose clients have read nothing. Any goroutine calls keep with the pairs that a
// person allows for good, as --allow-flow takes them. If keep is nil, these pairs are forgotten when the hub ends.
func NewFlowDecider(o flow.Options, keep func(pairs []string)) *FlowDecider {
	return &FlowDecider{keep: keep, book: flow.New(o), follows: map[string]func(string){}}
}

// apart contains the browser tools that send no data to a page: those that choose, connect or close tabs, and the one
// that reads a trace.
var apart = []string{"select_page", "focus_tab", "close_page", "close_tab", "connect_browser", "connect_webmcp",
	"disconnect_webmcp", "performance_stop_trace"}

// Decide decides whether an action may carry to one site what its client has read on another. The reason's approve
// allows exactly these flows for good; it is nil if the guard can't ask a person for that.
func (f *FlowDecider) Decide(d calls.Action) (Verdict, reason) {
	a, is := actionOf(d)
	if !is {
		return Allow, reason{}
	}
	f.mu.Lock()
	it := f.book.Decide(a)
	f.mu.Unlock()
	if it.Mode == flow.None {
		return Allow, reason{}
	}
	v := map[flow.Mode]Verdict{flow.Log: Log, flow.Ask: Ask, flow.Enforce: Refuse}[it.Mode]
	r := reason{by: "flow", why: it.Text(), key: strings.Join(it.PairTexts(), ", "), shown: it.Shown(), to: it.To}
	for _, pair := range it.PairTexts() {
		r.advice += " --allow-flow " + quoted(pair)
	}
	if v == Refuse {
		r.why += "; the hub's log tells its owner what would allow that"
	}
	if v == Ask && it.Exact() {
		r.approve = func() { f.approved(it) }
	}
	return v, r
}

// actionOf returns an action for the book. It returns false if the action sends no data to a page.
func actionOf(d calls.Action) (a flow.Action, is bool) {
	if d.Kind == calls.BrowserTool && slices.Contains(apart, d.Name) {
		return a, false
	}
	a = flow.Action{Session: d.Session, Origin: d.Origin, Tab: string(d.Document.Page),
		Noticeable: d.Class != calls.ReadOnly, Opaque: d.Kind == calls.PageRequest}
	if d.Anywhere {
		a.Origin = ""
	}
	args := d.Args
	switch d.Kind {
	case calls.BrowserTool:
		browserTool(d, &a)
		return a, true
	case calls.PageRequest: // its arguments are the page's words, and the answer isn't known yet
		args = nil
	case calls.Resource:
		if a.Noticeable = true; d.Listed {
			args = nil
		}
	case calls.Prompt: // prompts/get; a completion has other members
		var params map[string]json.RawMessage
		if json.Unmarshal(args, &params) == nil && only(params, "name", "arguments") {
			args = params["arguments"]
		}
	}
	if a.Noticeable = true; d.To != "" { // the address of a site's tool, which the client didn't choose
		a.Origin = names.DocumentOrigin("", d.To)
	}
	var tells func(name string) bool
	if d.Kind == calls.PageTool || d.Kind == calls.Introspected {
		tells = undeclared(d.Schema)
	}
	a.Texts, a.Names = texts(nil, args, tells)
	a.Texts, _ = texts(a.Texts, d.Besides, nil)
	return a, true
}

// computes contains the browser tools whose effect on a page can't be compared with what the client has read.
var computes = []string{"upload_file", "emulate", "resize_page"}

// harmless contains the arguments of navigations that the page at the address doesn't receive. The book decides about
// the address itself separately.
var harmless = []string{"url", "type", "timeout", "pageId", "background", "focus", "ignoreCache", "handleBeforeUnload",
	"isolatedContext"}

// silent contains the arguments of browser tools that a page doesn't receive.
var silent = []string{"uid", "from_uid", "to_uid", "args", "pageId", "tabId", "timeout", "includeSnapshot", "frame",
	"filePath"}

// browserTool fills in what a browser tool does.
func browserTool(d calls.Action, a *flow.Action) {
	var args map[string]json.RawMessage
	readable := len(d.Args) == 0 || json.Unmarshal(d.Args, &args) == nil
	switch {
	case d.To != "":
		if url := args["url"]; url != nil || !readable { // otherwise the tab goes through its history
			a.To = d.To
		} else {
			a.To = names.DocumentOrigin("", d.To)
		}
		a.Noticeable, a.Opaque = true, d.Emulated || !readable || !only(args, harmless...)
	case d.Class == calls.ReadOnly: // the page doesn't notice it
		return
	default:
		a.Opaque = slices.Contains(computes, d.Name) || !readable
	}
	var script string
	for _, name := range []string{"function", "initScript"} {
		var text string
		if json.Unmarshal(args[name], &text) == nil {
			script += text
		}
	}
	if d.Name == "evaluate_script" || hasScript(d.Args) {
		a.Script = !reads().MatchString(script)
		a.Opaque = a.Opaque || a.Script
		named := map[string]string{} // an address for each origin but the page's own
		for _, address := range addresses().FindAllString(script, -1) {
			if to := names.DocumentOrigin("", address); to != a.Origin && (d.To == "" || to != names.DocumentOrigin("", d.To)) {
				named[to] = address
			}
		}
		switch {
		case len(named) == 0:
		case len(named) == 1 && d.To == "":
			for _, address := range named {
				a.Takes, a.To, a.Opaque = d.Origin, address, true
			}
		default:
			a.Takes, a.To, a.Opaque = d.Origin, several, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if d.To != "" && slices.Contains(harmless, name) || slices.Contains(silent, name) {
			continue
		}
		a.Texts, _ = texts(a.Texts, args[name], nil)
	}
	for line := range strings.SplitSeq(d.On, "\n") { // the page knows its own long names
		_, name, _ := strings.Cut(line, `"`)
		name = strings.TrimSuffix(name, `"`)
		if len([]rune(name)) <= 2 || strings.ContainsAny(name, "0123456789") {
			a.Texts = append(a.Texts, name)
		}
	}
	a.Texts = slices.DeleteFunc(a.Texts, func(text string) bool { return text == "" })
}

// several is an address without an origin, which no allowed pair covers. It stands for those of several sites.
const several = "data:,"

// reads matches scripts that only read what the page shows. addresses matches the addresses in scripts.
var (
	reads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:async\s*)?\(?(?:el|e|node)?\)?\s*=>\s*(?:document|window|location|el|e|node)` +
			`(?:\.(?:document|location|title|body|documentElement|activeElement|innerText|textContent|innerHTML|outerHTML|` +
			`value|href|URL|length))*;?\s*$`)
	})
	addresses = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:https?|wss?)://[^\s"'` + "`" + `<>)]+`)
	})
)

// texts appends every text and number in a JSON value, and the name of a member if it may carry data. It returns the
// names for which tells (nil for none) returns true apart from values, in which they would separate texts that belong
// together.
func texts(all []string, raw json.RawMessage, tells func(name string) bool) (values, names []string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var in any
	if len(raw) == 0 {
		return all, nil
	}
	if d.Decode(&in) != nil {
		return append(all, string(raw)), nil
	}
	values = all
	add := func(text string) {
		if text != "" {
			values = append(values, text)
		}
	}
	var walk func(in any)
	walk = func(in any) {
		switch v := in.(type) {
		case string:
			add(v)
		case json.Number:
			add(v.String())
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if longer(name) {
					add(name)
				}
				if tells != nil && tells(name) {
					names = append(names, name)
				}
				walk(v[name])
			}
		}
	}
	walk(in)
	return values, names
}

// longer reports whether the name of a member may carry data, even if the tool's schema has it: a schema may list all
// numbers.
func longer(name string) bool { return len(name) >= 12 || strings.ContainsAny(name, " @0123456789") }

// Names in a schema of at most maxExempt bytes carry no data. The limit keeps a page from exempting all words. At most
// maxDeclared names of a call are looked up in the schema, so a call can't cost much.
const (
	maxExempt   = 8 << 10
	maxDeclared = 256
)

// undeclared returns a function that reports whether a tool's schema doesn't have a name.
func undeclared(schema json.RawMessage) func(name string) bool {
	found := map[string]bool{}
	return func(name string) bool {
		is, known := found[name]
		if !known && len(schema) <= maxExempt && len(found) < maxDeclared {
			is = bytes.Contains(schema, append(jsonrpc.MustEncode(name), ':')) // only a name has a colon after it
			found[name] = is
		}
		return name != "" && !is
	}
}

// only reports whether an object has no members except these.
func only(members map[string]json.RawMessage, names ...string) bool {
	for name := range members {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// Started implements [Flow].
func (f *FlowDecider) Started(d calls.Action) {
	a, is := actionOf(d)
	if !is {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.gone.has(d.Session) {
		f.book.Started(a)
	}
}

// sources returns the origins whose words the hub sends to a client; none if they are the hub's own words.
//
// Chrome's error page has an opaque origin. It shows only a failed address, so it doesn't count: a person could allow
// flows from an opaque origin only once. A script's result counts, because the script may have read another page
// before it led the tab to the error page.
func sources(d calls.Action) []string {
	if d.Document.Page == "" && d.Origin == "" {
		return nil
	}
	all := append([]string{d.Origin}, d.Frames...)
	if strings.HasPrefix(d.Address, "chrome-error:") && d.Kind == calls.BrowserTool && d.Name != "evaluate_script" {
		all = slices.DeleteFunc(all, func(o string) bool { return o == names.OpaqueOrigin })
	}
	return all
}

// Read notes the content that the hub sends to a client: a result or another JSON value.
func (f *FlowDecider) Read(d calls.Action, content json.RawMessage) {
	from := sources(d)
	if len(from) == 0 {
		return
	}
	kind := flow.Result
	if d.Kind == calls.BrowserTool || d.Kind == "" {
		kind = flow.PageText
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.gone.has(d.Session) {
		f.book.ReadContent(d.Session, kind, content, from...)
	}
}

// SetPairs replaces all flows that are allowed, also those that people have allowed since.
func (f *FlowDecider) SetPairs(pairs []flow.Pair) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.SetPairs(pairs)
}

// Sent notes the origins whose words the hub sends to a client. When Sent returns, the function given to Follow has
// received everything noted so far, also by other goroutines.
func (f *FlowDecider) Sent(d calls.Action) {
	from := sources(d)
	if len(from) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone.has(d.Session) { // the call ended after its session
		return
	}
	if follow := f.follows[d.Session]; f.book.Read(d.Session, from...) && follow != nil {
		follow(f.book.Export(d.Session))
	}
}

// Resume restores what a client had read at the previous hub.
func (f *FlowDecider) Resume(session, remembered string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Import(session, remembered)
}

// Follow calls changed with what a client has read, for the next hub that the client uses: now and whenever it has
// read more, until it is gone. changed must not block, and must not call f.
func (f *FlowDecider) Follow(session string, changed func(remembered string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.follows[session] = changed
	changed(f.book.Export(session))
}

// approved notes that a person allowed these flows for good.
func (f *FlowDecider) approved(is flow.Decision) {
	to := is.To
	f.mu.Lock()
	for _, is := range is.Flows {
		f.book.Allow(is.From, to)
	}
	f.mu.Unlock()
	if f.keep != nil {
		f.keep(is.PairTexts())
	}
}

// ClientGone forgets what a client has read.
func (f *FlowDecider) ClientGone(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.book.Gone(session)
	delete(f.follows, session)
	f.gone.add(session)
}
