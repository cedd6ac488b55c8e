package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// A helper answers what pages ask of an agent, and keeps what it was asked.
type helper struct {
	sampled chan mcp.CreateMessageParams
	elicits chan mcp.ElicitationParams
}

func (a *helper) CreateMessage(_ context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	a.sampled <- r.CreateMessageParams
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.TextContent{Type: "text", Text: "Tea."}},
		Model:           "a-model",
	}, nil
}

func (a *helper) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.elicits <- r.Params
	result := &mcp.ElicitationResult{}
	result.Action, result.Content = mcp.ElicitationResponseActionAccept, map[string]any{"quantity": 3}
	return result, nil
}

func (a *helper) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///a/project", Name: "project"}}}, nil
}

// newHelper gives a helper and the options of a client that has it.
func newHelper() (*helper, []client.ClientOption) {
	a := &helper{make(chan mcp.CreateMessageParams, 1), make(chan mcp.ElicitationParams, 1)}
	return a, []client.ClientOption{client.WithLegacyProtocolOnly(), client.WithSamplingHandler(a), client.WithElicitationHandler(a), client.WithRootsHandler(a)}
}

// offerURI is under what the idx-th tab's resource is known to clients.
func offerURI(idx, encoded string) string {
	return "webmcp://localhost:" + pages.port() + "/page" + idx + "/" + encoded
}

const stockURI = "shop%3A%2F%2Fstock"

// waitNotified waits for a notification of a method, beyond the first n.
func (h *hub) waitNotified(method string, n int) mcp.JSONRPCNotification {
	h.t.Helper()
	deadline := time.After(patience)
	for {
		h.mu.Lock()
		seen := 0
		for _, got := range h.notified {
			if got.Method == method {
				if seen++; seen > n {
					h.mu.Unlock()
					return got
				}
			}
		}
		h.mu.Unlock()
		select {
		case <-h.any:
		case <-deadline:
			h.t.Fatalf("no %s came", method)
		}
	}
}

// waitResources lists after each list_changed until there are n resources.
func (h *hub) waitResources(n int) []mcp.Resource {
	h.t.Helper()
	for told := h.count(mcp.MethodNotificationResourcesListChanged); ; told++ {
		list, err := h.client.ListResources(h.t.Context(), mcp.ListResourcesRequest{})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(list.Resources) == n {
			return list.Resources
		}
		h.waitNotified(mcp.MethodNotificationResourcesListChanged, told)
	}
}

func (h *hub) waitPrompts(n int) []mcp.Prompt {
	h.t.Helper()
	for told := h.count(mcp.MethodNotificationPromptsListChanged); ; told++ {
		list, err := h.client.ListPrompts(h.t.Context(), mcp.ListPromptsRequest{})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(list.Prompts) == n {
			return list.Prompts
		}
		h.waitNotified(mcp.MethodNotificationPromptsListChanged, told)
	}
}

func (h *hub) read(uri string) (string, error) {
	request := mcp.ReadResourceRequest{}
	request.Params.URI = uri
	result, err := h.client.ReadResource(h.t.Context(), request)
	if err != nil {
		return "", err
	}
	content, _ := result.Contents[0].(mcp.TextResourceContents)
	if content.URI != uri {
		h.t.Errorf("read %s, got the contents of %s", uri, content.URI)
	}
	return content.Text, nil
}

// TestOffers is everything of MCP besides tools, with a real page, over stdio
// and over HTTP.
func TestOffers(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"stdio", "http"} {
		t.Run(over, func(t *testing.T) {
			c := chromeFor(t, mcpb5)
			agent, options := newHelper()
			connect := func(options []client.ClientOption) *hub {
				return startHubWith(t, options, "--browser-url", c.browserURL(), "--page-requests=always", "--page-roots")
			}
			if over == "http" {
				w := startWeb(t, "--browser-url", c.browserURL(), "--page-requests=always", "--page-roots")
				connect = func(options []client.ClientOption) *hub { return w.connect(t, options...) }
			}
			offers(t, c, connect(options), agent)
		})
	}
}

func offers(t *testing.T, c *chrome, h *hub, agent *helper) {
	capabilities := h.client.GetServerCapabilities()
	if r, p := capabilities.Resources, capabilities.Prompts; r == nil || !r.Subscribe || !r.ListChanged || p == nil || !p.ListChanged || capabilities.Completions == nil || capabilities.Logging == nil {
		t.Errorf("announced: %s", asJSON(capabilities))
	}
	p := c.open(t, pages.url("offers.html", "runtime=mcpb5", "bare=1"))
	h.waitTool(toolName("0", "ask"))
	h.waitResources(0)

	// The first resource comes later.
	p.eval(`offerAll()`)
	h.waitPrompts(1)
	list := h.waitResources(2)
	stock := list[1]
	if stock.URI != offerURI("0", stockURI) || stock.Name != "Stock" || stock.Description != "[WebMCP • localhost:"+pages.port()+" • Page 0] All that is there" || stock.MIMEType != "text/plain" {
		t.Errorf("the resource is %s", asJSON(stock))
	}
	if text, err := h.read(stock.URI); err != nil || text != `{"tea":3,"coffee":5}` {
		t.Errorf("read %q, %v", text, err)
	}
	templates, err := h.client.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
	if err != nil || len(templates.ResourceTemplates) != 1 {
		t.Fatalf("templates: %s, %v", asJSON(templates), err)
	}
	template := templates.ResourceTemplates[0].URITemplate.Raw()
	if template != offerURI("0", stockURI+"%2F{product}") {
		t.Errorf("the template is %s", template)
	}
	if text, err := h.read(strings.Replace(template, "{product}", "tea", 1)); err != nil || text != "3" {
		t.Errorf("read %q by the template, %v", text, err)
	}
	if _, err := h.read(offerURI("0", "shop%3A%2F%2Fnothing")); err == nil {
		t.Error("a resource that isn't there was read")
	}

	// Watching one.
	subscribe := mcp.SubscribeRequest{}
	subscribe.Params.URI = stock.URI
	if err := h.client.Subscribe(t.Context(), subscribe); err != nil {
		t.Fatal(err)
	}
	if got := string(p.happened("watched")); got != `"shop://stock"` {
		t.Errorf("the page was asked to watch %s", got)
	}
	p.eval(`sell('tea')`)
	if updated := h.waitNotified("notifications/resources/updated", 0); updated.Params.AdditionalFields["uri"] != stock.URI {
		t.Errorf("told of %s", asJSON(updated))
	}
	if text, _ := h.read(stock.URI); text != `{"tea":2,"coffee":5}` {
		t.Errorf("then read %q", text)
	}
	unsubscribe := mcp.UnsubscribeRequest{}
	unsubscribe.Params.URI = stock.URI
	if err := h.client.Unsubscribe(t.Context(), unsubscribe); err != nil {
		t.Error(err)
	}
	p.happened("unwatched")

	// A prompt, and completing its argument.
	prompt := h.waitPrompts(1)[0]
	if prompt.Name != toolName("0", "advise") || len(prompt.Arguments) != 1 || prompt.Arguments[0].Name != "product" || !prompt.Arguments[0].Required {
		t.Errorf("the prompt is %s", asJSON(prompt))
	}
	get := mcp.GetPromptRequest{}
	get.Params.Name, get.Params.Arguments = prompt.Name, map[string]string{"product": "tea"}
	got, err := h.client.GetPrompt(t.Context(), get)
	if err != nil || len(got.Messages) != 1 || got.Messages[0].Content.(mcp.TextContent).Text != "Shall I buy tea?" {
		t.Errorf("the prompt gave %s, %v", asJSON(got), err)
	}
	complete := mcp.CompleteRequest{}
	complete.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: prompt.Name}
	complete.Params.Argument = mcp.CompleteArgument{Name: "product", Value: "te"}
	if completed, err := h.client.Complete(t.Context(), complete); err != nil || len(completed.Completion.Values) != 1 || completed.Completion.Values[0] != "tea" {
		t.Errorf("completed to %s, %v", asJSON(completed), err)
	}
	if got := string(p.happened("completed")); !strings.Contains(got, `"name":"advise"`) {
		t.Errorf("the page was asked %s", got)
	}
	p.eval(`offerPrompt('another'), true`)
	h.waitPrompts(2)

	// Log messages.
	level := mcp.SetLevelRequest{}
	level.Params.Level = mcp.LoggingLevelWarning
	if err := h.client.SetLevel(t.Context(), level); err != nil {
		t.Fatal(err)
	}
	p.eval(`log('info', 'of no importance').then(() => log('warning', 'the till is open')), true`)
	said := h.waitNotified("notifications/message", 0).Params.AdditionalFields
	if said["data"] != "the till is open" || said["level"] != "warning" || said["logger"] != pages.http.URL+" till" {
		t.Errorf("logged %s", asJSON(said))
	}

	// What the page asks of the agent, while a tool runs and at any time.
	wantText(t, h.call(toolName("0", "ask"), map[string]any{"what": "roots"}), `{"roots":[{"uri":"file:///a/project","name":"project"}]}`)
	ask := h.call(toolName("0", "ask"), map[string]any{"what": "sampling"})
	if !strings.Contains(textOf(ask), `"text":"Tea."`) {
		t.Errorf("the page got %s", textOf(ask))
	}
	if s := <-agent.sampled; !strings.Contains(s.SystemPrompt, pages.http.URL) || !strings.Contains(s.SystemPrompt, "[untrusted page content]") || len(s.Messages) != 1 {
		t.Errorf("asked for a message by %s", asJSON(s))
	}
	if got := string(p.eval(`asked('elicitation')`)); !strings.Contains(got, `quantity\":3`) {
		t.Errorf("the page got %s", got)
	}
	if e := <-agent.elicits; e.Message != "[untrusted page content] The web page "+pages.http.URL+" asks: How many?" {
		t.Errorf("elicited by %q", e.Message)
	}

	// The page is closed while it is read.
	done := make(chan error, 1)
	go func() { _, err := h.read(offerURI("0", "shop%3A%2F%2Fnever")); done <- err }()
	p.happened("reading")
	told := h.count(mcp.MethodNotificationResourcesListChanged)
	p.close()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "the page") {
			t.Errorf("the reading ended by %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the reading hangs")
	}
	h.waitNotified(mcp.MethodNotificationResourcesListChanged, told)
	if _, err := h.read(stock.URI); err == nil || !strings.Contains(err.Error(), "is gone: the page that it belonged to was closed") {
		t.Errorf("reading of a closed page ends by %v", err)
	}
	h.waitResources(0)
	h.waitPrompts(0)
}

// TestOffersOfAnOlderPackage: @mcp-b/global 2 has resources, prompts and
// questions too, but takes a template for a resource.
func TestOffersOfAnOlderPackage(t *testing.T) {
	t.Parallel()
	c := chromeFor(t, mcpb2)
	agent, options := newHelper()
	h := startHubWith(t, options, "--browser-url", c.browserURL())
	p := c.open(t, pages.url("offers.html", "runtime=mcpb2", "bare=1"))
	h.waitTool(toolName("0", "ask"))
	p.eval(`offerAll()`)
	stock := h.waitResources(3)[1]
	if text, err := h.read(stock.URI); err != nil || text != `{"tea":3,"coffee":5}` {
		t.Errorf("read %q, %v", text, err)
	}
	if name := h.waitPrompts(1)[0].Name; name != toolName("0", "advise") {
		t.Errorf("the prompt is %s", name)
	}
	if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": "sampling"})); !strings.Contains(got, `"text":"Tea."`) {
		t.Errorf("the page got %s", got)
	}
	<-agent.sampled
	done := make(chan error, 1)
	go func() { _, err := h.read(offerURI("0", "shop%3A%2F%2Fnever")); done <- err }()
	p.happened("reading")
	p.navigate(pages.url("plain.html"))
	select {
	case err := <-done:
		if err == nil {
			t.Error("the reading ended well")
		}
	case <-time.After(patience):
		t.Fatal("the reading hangs")
	}
	h.waitResources(0)
}

// TestOffersOfASharedHub: a process that has joined another's hub passes all of
// it on, in both directions.
func TestOffersOfASharedHub(t *testing.T) {
	t.Parallel()
	c := chromeFor(t, mcpb5)
	p := c.open(t, pages.url("offers.html", "runtime=mcpb5"))
	owner := attachHub(t, c)
	owner.waitResources(2)
	agent, options := newHelper()
	h := startHubWith(t, options, "--browser-url", c.browserURL())
	h.stderr.wait(t, "joined") // the pipe of the log may be read after that of the protocol
	stock := h.waitResources(2)[1]
	if text, err := h.read(stock.URI); err != nil || text != `{"tea":3,"coffee":5}` {
		t.Errorf("read %q, %v", text, err)
	}
	subscribe := mcp.SubscribeRequest{}
	subscribe.Params.URI = stock.URI
	if err := h.client.Subscribe(t.Context(), subscribe); err != nil {
		t.Fatal(err)
	}
	p.eval(`sell('tea')`)
	h.waitNotified("notifications/resources/updated", 0)
	if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": "elicitation"})); !strings.Contains(got, `"quantity":3`) {
		t.Errorf("the page got %s", got)
	}
	<-agent.elicits
	if got := textOf(owner.call(toolName("0", "ask"), map[string]any{"what": "elicitation"})); !strings.Contains(got, "did not declare") {
		t.Errorf("the page got %s", got)
	}
	if n := owner.count("notifications/resources/updated"); n != 0 {
		t.Errorf("the other client was told %d times of what it does not watch", n)
	}
}

// TestPageRequestsRefused: a client that declares nothing is asked nothing, nor
// is any with --no-page-requests.
func TestPageRequestsRefused(t *testing.T) {
	t.Parallel()
	t.Run("by the client's capabilities", func(t *testing.T) {
		c := chromeFor(t, mcpb5)
		h := attachHub(t, c, "--page-roots")
		c.open(t, pages.url("offers.html", "runtime=mcpb5"))
		h.waitTool(toolName("0", "ask"))
		for _, what := range []string{"sampling", "elicitation", "roots"} {
			if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": what})); !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, "did not declare") {
				t.Errorf("%s: %s", what, got)
			}
		}
	})
	t.Run("by default", func(t *testing.T) {
		c := chromeFor(t, mcpb5)
		agent, options := newHelper()
		h := startHubWith(t, options, "--browser-url", c.browserURL())
		p := c.open(t, pages.url("offers.html", "runtime=mcpb5"))
		h.waitTool(toolName("0", "ask"))
		// While no call runs, nobody is asked; while one does, that client is, but not for its folders.
		if got := string(p.eval(`asked('elicitation')`)); !strings.Contains(got, "refused: ") || !strings.Contains(got, "only while it carries out a call") {
			t.Errorf("the page got %s", got)
		}
		if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": "roots"})); !strings.HasPrefix(got, "refused: ") {
			t.Errorf("the page got %s", got)
		}
		if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": "elicitation"})); !strings.Contains(got, `"quantity":3`) {
			t.Errorf("the page got %s", got)
		}
		<-agent.elicits
	})
	t.Run("by --no-page-requests", func(t *testing.T) {
		c := chromeFor(t, mcpb5)
		_, options := newHelper()
		h := startHubWith(t, options, "--browser-url", c.browserURL(), "--no-page-requests")
		c.open(t, pages.url("offers.html", "runtime=mcpb5"))
		h.waitTool(toolName("0", "ask"))
		for _, what := range []string{"sampling", "elicitation", "roots"} {
			if got := textOf(h.call(toolName("0", "ask"), map[string]any{"what": what})); !strings.HasPrefix(got, "refused: ") {
				t.Errorf("%s: %s", what, got)
			}
		}
	})
}

// TestOffersInFocusMode: a client sees what its focused tab offers, and hears of
// no other.
func TestOffersInFocusMode(t *testing.T) {
	t.Parallel()
	c := chromeFor(t, mcpb5)
	h := attachHub(t, c, "--mode=focus")
	c.open(t, pages.url("shop.html", "runtime=mcpb5"))
	p := c.open(t, pages.url("offers.html", "runtime=mcpb5"))
	if r := h.call("connect_browser", nil); r.IsError {
		t.Fatal(textOf(r))
	}
	h.waitTool("focus_tab")
	h.waitResources(0)
	h.focusOn("offers.html")
	stock := h.waitResources(2)[1]
	h.waitPrompts(1)
	if _, err := h.read(stock.URI); err != nil {
		t.Error(err)
	}
	h.focusOn("shop.html")
	h.waitResources(0)
	if _, err := h.read(stock.URI); err == nil || !strings.Contains(err.Error(), "focus_tab") {
		t.Errorf("reading from another tab ends by %v", err)
	}
	told := h.count(mcp.MethodNotificationPromptsListChanged)
	p.eval(`offerPrompt('another'), true`)
	h.focusOn("offers.html")
	h.waitPrompts(2)
	if now := h.count(mcp.MethodNotificationPromptsListChanged); now > told+2 { // going, and coming back
		t.Errorf("told %d times", now-told)
	}
}
