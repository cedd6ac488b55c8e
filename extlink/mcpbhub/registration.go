package mcpbhub

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// What a proxy tells of its tab: which one it is, and its tools.

func (w *wire) registered(m rpc) []extMessage {
	var r registration
	if json.Unmarshal(m.Params, &r) != nil || !isArray(r.Tools) {
		w.refuse(m, invalidParams, "params must have the tools as an array, and tabUrl, if any, as a string")
		return nil
	}
	sound, refused := soundTools(r.Tools)
	for _, tool := range refused {
		w.ignoreTool(tool)
	}
	r.Tools = sound
	said, why := w.register(m.Method, r)
	if why != nil {
		w.refuse(m, why.Code, why.Message)
		return nil
	}
	w.answer(m, registered{refused})
	return said
}

// bind holds the connection to the origin of the address that it names first:
// nobody who speaks for one site comes to speak for another. mu must be held.
func (w *wire) bind(address string) *rpcError {
	switch site, err := originOf(address); {
	case err != nil:
		return &rpcError{invalidParams, "tabUrl is not an address"}
	case w.site == "":
		w.site = site
	case site != w.site:
		return &rpcError{invalidParams, fmt.Sprintf("this connection speaks for %s; connect anew to speak for another site than that", w.site)}
	}
	return nil
}

// originOf is the origin of an address of the web, or of a blob: of a site's; ""
// of others: they are no site's, and no site's calls go to them. Of the address
// only what comes before the path has to be as the RFC has it: browsers show
// others.
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
	if !ok || err != nil || u.Hostname() == "" || u.User != nil || strings.Contains(address, `\`) { // read in several ways
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

// register takes the tab's tools, or says why not.
func (w *wire) register(method string, r registration) (said []extMessage, why *rpcError) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if method == updateTools && !w.there {
		return nil, &rpcError{TabNotFound, "TabNotFound: browser/registerTools comes first"}
	}
	if method == registerTools && r.TabURL != nil {
		if why := w.bind(*r.TabURL); why != nil {
			return nil, why
		}
	}
	if r.Extensions != nil {
		w.extensions = r.Extensions
	}
	moved := method == registerTools && (r.TabURL != nil && *r.TabURL != w.url || !w.there)
	if moved {
		w.doc++
		if r.TabURL != nil {
			w.url = *r.TabURL
		}
	}
	tools := extendedTools(r.Tools)
	same := bytes.Equal(w.tools, tools)
	w.tools = tools
	switch {
	case !w.there:
		w.there = true
		return w.appear(), nil
	case !w.asked || same && !moved:
		return nil, nil
	case moved:
		return []extMessage{{Type: "tabUpdated", Tab: w.tab()}, w.toolSet()}, nil
	}
	return []extMessage{w.toolSet()}, nil
}

// appear is the first that is said of the tab, once both sides are ready. mu
// must be held.
func (w *wire) appear() []extMessage {
	if !w.asked || !w.there {
		return nil
	}
	b := extBrowser{Name: "MCP-B proxy", Fixed: true}
	if raw, ok := w.extensions["instance"]; ok && w.site != "" {
		sum := sha256.Sum256([]byte(w.site + "\x00" + string(raw)))
		b.Instance = "mcpb-" + hex.EncodeToString(sum[:16])
	}
	all := []extMessage{{Type: "connected", Browser: &b, Tabs: []extTab{*w.tab()}}}
	if string(w.tools) != "[]" || w.declares != (Capabilities{}) {
		all = append(all, w.toolSet())
	}
	return all
}

func (w *wire) tab() *extTab {
	url := w.url
	if url == "" {
		url = "about:blank"
	}
	return &extTab{ID: 1, URL: url, Doc: strconv.Itoa(w.doc)}
}

func (w *wire) toolSet() extMessage {
	m := extMessage{Type: "toolsChanged", TabID: 1, Doc: strconv.Itoa(w.doc), Tools: w.tools}
	if w.declares != (Capabilities{}) {
		can := w.declares // w's changes
		m.Browser = &can
	}
	return m
}

// declared takes what a proxy's initialize says that the page's server can do.
func (w *wire) declared(m rpc) []extMessage {
	var p struct {
		Capabilities struct {
			Browser map[string]json.RawMessage `json:"browser"`
		} `json:"capabilities"`
	}
	_ = json.Unmarshal(m.Params, &p) // what is not sound declares nothing
	is := func(name string) bool { return string(p.Capabilities.Browser[name]) == "true" }
	w.mu.Lock()
	defer w.mu.Unlock()
	was := w.declares
	w.declares = Capabilities{MultiTabSupport: is("multiTabSupport"), CacheSupported: is("cacheSupported"), Elicitation: is("elicitation")}
	if w.declares == was || !w.asked || !w.there {
		return nil
	}
	return []extMessage{w.toolSet()}
}

func isArray(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// maxRefused is how many tools of a list an answer names as refused.
const maxRefused = 100

// soundTools keeps those of a list of tools that are tools, without blanks, and
// says of the others why they aren't: one of the wrong shape takes none with it.
func soundTools(list json.RawMessage) (sound json.RawMessage, refused []refusedTool) {
	var all []json.RawMessage
	_ = json.Unmarshal(list, &all) // it is an array
	b := bytes.NewBufferString("[")
	for _, raw := range all {
		if r := refusal(raw); r != nil {
			if len(refused) < maxRefused {
				refused = append(refused, *r)
			}
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		_ = json.Compact(b, raw) // it is valid
	}
	b.WriteByte(']')
	return b.Bytes(), refused
}

// refusal says why something is no tool, or is nil.
func refusal(raw json.RawMessage) *refusedTool {
	var tool map[string]json.RawMessage
	if json.Unmarshal(raw, &tool) != nil || tool == nil {
		return &refusedTool{Why: "it is not an object"}
	}
	var name string
	if json.Unmarshal(tool["name"], &name) != nil || name == "" {
		return &refusedTool{Why: "it has no name"}
	}
	if !isObject(tool["inputSchema"]) {
		return &refusedTool{fmt.Sprintf("%.128s", name), "it has no inputSchema, an object"}
	}
	return nil
}

func (w *wire) ignoreTool(t refusedTool) {
	if unsaid, ok := w.noise.Allow(); ok {
		w.log.Warn("a tool of an MCP-B proxy was refused", "tool", t.Name, "why", t.Why, "unsaid", unsaid)
	}
}
