package mcpbhub

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"webmcphub/extlink"
	"webmcphub/internal/jsonrpc"
)

// tab has what a proxy has reported about its tab.
type tab struct {
	there bool
	url   string
	site  string // the origin to which the connection belongs; "" before it has named one
	doc   int    // how many documents it has had
	tools []extlink.Tool
	// declares has the capabilities of the page's server, from the proxy's initialize.
	declares extlink.Capabilities
}

// number is the id of the only tab of a proxy.
const number = 1

func (d *dialect) registered(m jsonrpc.Message, l *extlink.Line) {
	var r registration
	if json.Unmarshal(m.Params, &r) != nil || len(r.Tools) == 0 || r.Tools[0] != '[' {
		refuse(l, m, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params must have the tools as an array, and tabUrl, "+
			"if any, as a string"))
		return
	}
	tools, refused := soundTools(r.Tools)
	for _, t := range refused {
		l.Ignored(slog.LevelWarn, t.Why, "tool", t.Name)
	}
	if why := d.register(m.Method, r, tools, l); why != nil {
		refuse(l, m, why)
		return
	}
	answer(l, m, registered{refused})
}

// register records the tab's tools, or returns why it doesn't.
func (d *dialect) register(method string, r registration, tools []extlink.Tool, l *extlink.Line) *jsonrpc.Error {
	t := &d.tab
	if method == updateTools && !t.there {
		return jsonrpc.Errorf(TabNotFound, "TabNotFound: browser/registerTools comes first")
	}
	moved := method == registerTools && !t.there
	if method == registerTools && r.TabURL != nil {
		if why := t.bind(*r.TabURL); why != nil {
			return why
		}
		moved = moved || *r.TabURL != t.url
		t.url = *r.TabURL
	}
	if r.Extensions != nil {
		d.mu.Lock()
		d.extensions = r.Extensions
		d.mu.Unlock()
	}
	same, appears := reflect.DeepEqual(t.tools, tools), !t.there
	t.tools, t.there = tools, true
	if moved {
		t.doc++
	}
	switch {
	case same && !moved:
	case appears:
		d.appear(l)
	default:
		if moved {
			l.Deliver(extlink.TabUpdated{Tab: t.info()})
		}
		l.Deliver(t.toolSet())
	}
	return nil
}

// appear reports the tab for the first time.
func (d *dialect) appear(l *extlink.Line) {
	b := extlink.Browser{Name: "MCP-B proxy", Fixed: true}
	if raw, ok := d.extensions["instance"]; ok && d.tab.site != "" {
		sum := sha256.Sum256([]byte(d.tab.site + "\x00" + string(raw)))
		b.Instance = "mcpb-" + hex.EncodeToString(sum[:16])
	}
	l.Deliver(extlink.Connected{Browser: b, Tabs: []extlink.Tab{d.tab.info()}})
	if len(d.tab.tools) > 0 || d.tab.declares != (extlink.Capabilities{}) {
		l.Deliver(d.tab.toolSet())
	}
}

// lost handles the answer that the proxy has no tab any more, so that the call has not begun. If the proxy registers
// again, that is a new tab of the same site.
func (d *dialect) lost(call string, l *extlink.Line) {
	if !d.tab.there {
		return
	}
	d.tab = tab{site: d.tab.site, doc: d.tab.doc, declares: d.tab.declares}
	l.Deliver(extlink.ToolResult{CallID: call, NotBegun: true})
	l.Deliver(extlink.TabClosed{TabID: number})
}

func (t *tab) info() extlink.Tab {
	return extlink.Tab{ID: number, URL: cmp.Or(t.url, "about:blank"), Doc: strconv.Itoa(t.doc)}
}

func (t *tab) toolSet() extlink.ToolsChanged {
	return extlink.ToolsChanged{TabID: number, Doc: strconv.Itoa(t.doc), Tools: t.tools, Browser: t.declares}
}

// declared handles a proxy's initialize, which has the capabilities of the page's server.
func (d *dialect) declared(m jsonrpc.Message, l *extlink.Line) {
	var p struct {
		Capabilities struct{ Browser json.RawMessage }
	}
	_ = json.Unmarshal(m.Params, &p) // invalid params declare nothing
	declares := extlink.DecodeCapabilities(p.Capabilities.Browser)
	same := d.tab.declares == declares
	d.tab.declares = declares
	if !same && d.tab.there {
		l.Deliver(d.tab.toolSet())
	}
}

// bind binds the connection to the origin of the first address that it names, so that a proxy for one site can't
// register another.
func (t *tab) bind(address string) *jsonrpc.Error {
	switch site, err := originOf(address); {
	case err != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "tabUrl is not an address")
	case t.site == "":
		t.site = site
	case site != t.site:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "this connection speaks for %s; connect again to "+
			"speak for another site", t.site)
	}
	return nil
}

// originOf returns the origin of a web address, or of a site's blob: address; "" for others, which belong to no site,
// so no site's calls go to them. Only the part before the path must conform to the RFC, because browsers show other
// addresses, too.
func originOf(address string) (string, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	scheme = strings.ToLower(strings.TrimSpace(scheme))
	if scheme == "blob" {
		scheme, rest, _ = strings.Cut(rest, ":")
		scheme = strings.ToLower(scheme)
	}
	if scheme != "http" && scheme != "https" {
		return "", nil
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		authority = authority[:i]
	}
	u, err := url.Parse(scheme + "://" + authority)
	if !ok || err != nil || u.Hostname() == "" || u.User != nil || strings.Contains(address, `\`) { // programs read such addresses differently
		return "", errors.New("not an address")
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		port = ""
	}
	if port != "" {
		return u.Scheme + "://" + net.JoinHostPort(host, port), nil
	}
	return u.Scheme + "://" + host, nil
}

// maxRefused is how many refused tools an answer names.
const maxRefused = 100

// soundTools returns the valid tools of a list, and the other ones with the reasons why they aren't valid. An invalid
// tool doesn't affect the others.
func soundTools(list json.RawMessage) (sound []extlink.Tool, refused []refusedTool) {
	var compact bytes.Buffer
	_ = json.Compact(&compact, list) // ignores blanks; list is valid JSON
	var all []json.RawMessage
	_ = json.Unmarshal(compact.Bytes(), &all) // it is an array
	for _, raw := range all {
		if t, err := pageTool(raw); err == nil {
			sound = append(sound, t)
		} else if len(refused) < maxRefused {
			refused = append(refused, refusedTool{fmt.Sprintf("%.128s", t.Name), err.Error()})
		}
	}
	return sound, refused
}

// pageTool decodes a tool, and puts its extensions into its _meta. A proxy passes on its page's data, so pageTool
// ignores members that only the extension may set.
func pageTool(raw json.RawMessage) (extlink.Tool, error) {
	if !jsonrpc.IsObject(raw) {
		return extlink.Tool{}, errors.New("it is not an object")
	}
	t, err := extlink.DecodeTool(raw)
	switch {
	case t.Name == "":
		return t, errors.New("it has no name")
	case t.InputSchema == nil:
		return t, errors.New("it has no inputSchema, an object")
	case err != nil:
		return t, err
	}
	var more struct{ Extensions json.RawMessage }
	_ = json.Unmarshal(raw, &more) // DecodeTool has read it
	t.Meta = extended(t.Meta, more.Extensions)
	return t, nil
}
