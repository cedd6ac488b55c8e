package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"webmcphub/internal/jsonrpc"
	"webmcphub/registry"
	"webmcphub/registry/offer"
)

// offerHub is a hub whose pages have MCP servers of their own.
type offerHub struct {
	*hub

	mu     sync.Mutex
	asked  []string // "page method params"
	levels []string
	answer func(ctx context.Context, server registry.DocumentRef, method string, progress func(json.RawMessage)) (json.RawMessage, error)
}

func newOfferHub(t *testing.T, options ...func(*Options, *registry.Options)) *offerHub {
	h := &offerHub{}
	h.hub = newHub(t, echo, append(options, func(o *Options, _ *registry.Options) { o.PageServers = h })...)
	return h
}

func (h *offerHub) Ask(ctx context.Context, server registry.DocumentRef, method string, params json.RawMessage, progress func(json.RawMessage)) (json.RawMessage, error) {
	h.mu.Lock()
	h.asked = append(h.asked, fmt.Sprintf("%s %s %s", server.Page, method, params))
	answer := h.answer
	h.mu.Unlock()
	if answer != nil {
		return answer(ctx, server, method, progress)
	}
	switch method {
	case "resources/read":
		return json.RawMessage(`{"contents":[{"uri":"note://1","text":"read"}]}`), nil
	case "prompts/get":
		return json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`), nil
	case "completion/complete":
		return json.RawMessage(`{"completion":{"values":["tea"]}}`), nil
	}
	return json.RawMessage(`{}`), nil
}

func (h *offerHub) SetLogLevel(level string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.levels = append(h.levels, level)
}

// topicsLeft is how many resources somebody watches, or did until a moment ago.
func (h *offerHub) topicsLeft() int {
	h.topics.mu.Lock()
	defer h.topics.mu.Unlock()
	return len(h.topics.all)
}

// heard is what pages were asked since the last time.
func (h *offerHub) heard() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := strings.Join(h.asked, "\n")
	h.asked = nil
	return all
}

func (h *offerHub) expectHeard(want ...string) {
	h.t.Helper()
	if got := h.heard(); got != strings.Join(want, "\n") {
		h.t.Errorf("pages were asked\n\t%s, want\n\t%s", got, strings.Join(want, "\n\t"))
	}
}

// offered reports what a page offers: URIs, templates and #prompts.
func offered(page string, gen int, offers ...string) registry.Event {
	e := registry.OffersReported{Page: registry.PageID(page), Gen: registry.Gen(gen)}
	for _, name := range offers {
		if prompt, is := strings.CutPrefix(name, "#"); is {
			e.Prompts = append(e.Prompts, &offer.PagePrompt{Frame: "F", Doc: e.Gen, Name: prompt})
			continue
		}
		e.Resources = append(e.Resources, &offer.PageResource{Frame: "F", Doc: e.Gen, URI: name, Template: strings.Contains(name, "{"), Name: name})
	}
	return e
}

// page opens a page with offers.
func (h *offerHub) page(page, url string, offers ...string) {
	h.t.Helper()
	h.change(open(page, url), navigated(page, 1, url), tools(page, 1, "use"))
	h.change(offered(page, 1, offers...))
}

func serverOf(page string, gen int) registry.DocumentRef {
	return registry.DocumentRef{Page: registry.PageID(page), Frame: "F", Doc: registry.Gen(gen)}
}

func ask(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// one gives the answer to one request: its result, or "code: message".
func (c *rawClient) one(method, params string) string {
	c.t.Helper()
	c.send(ask("1", method, params))
	lines := c.take()
	if len(lines) != 1 {
		c.t.Fatalf("%s was answered with %q", method, lines)
	}
	return outcomeOf(c.t, lines[0])
}

func outcomeOf(t testing.TB, line string) string {
	t.Helper()
	var o struct {
		Result json.RawMessage
		Error  *jsonrpc.Error
	}
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		t.Fatal(err)
	}
	if o.Error != nil {
		return fmt.Sprintf("%d: %s", o.Error.Code, o.Error.Message)
	}
	return provenance.ReplaceAllString(strings.ReplaceAll(string(o.Result), `{"_meta"`, `{"x":0,"_meta"`), "")
}

// names are the URIs or names in the answer to a list request.
func (c *rawClient) names(method string) string {
	c.t.Helper()
	var list struct {
		Resources, ResourceTemplates, Prompts []struct{ URI, URITemplate, Name string }
	}
	if err := json.Unmarshal([]byte(c.one(method, `{}`)), &list); err != nil {
		c.t.Fatal(err)
	}
	var names []string
	for _, r := range list.Resources {
		names = append(names, r.URI)
	}
	for _, r := range list.ResourceTemplates {
		names = append(names, r.URITemplate)
	}
	for _, p := range list.Prompts {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

const (
	resourcesChanged = `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
	promptsChanged   = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
	note0            = "webmcp://a.test/page0/note%3A%2F%2F1"
)

func wantText(t testing.TB, got string, says string) {
	t.Helper()
	if !strings.Contains(got, says) {
		t.Errorf("got %s, want %s", got, says)
	}
}
