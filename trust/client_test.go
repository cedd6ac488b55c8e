package trust_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/mcpserver"
	"webmcphub/mcpserver/calls"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
	"webmcphub/trust"
	"webmcphub/trust/rules"
)

// user answers what the client is asked.
type user struct {
	asked  atomic.Int32
	answer func(message string) *mcp.ElicitationResult
}

func (u *user) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	u.asked.Add(1)
	return u.answer(r.Params.Message), nil
}

type page func(call calls.Call) string

func (p page) Call(_ context.Context, call calls.Call) registry.Result {
	return sanitize.TextResult(p(call))
}

// careful is a hub under the careful preset with a page's tools buy and look.
func careful(t *testing.T, p page) (*mcpserver.Server, func(events ...registry.Event)) {
	t.Helper()
	all, err := rules.Preset(rules.Careful)
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.NewSet(all)
	if err != nil {
		t.Fatal(err)
	}
	s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: trust.New(trust.Options{Rules: trust.NewPolicy(set)})}}, p)
	state := registry.NewState(registry.Options{})
	change := func(events ...registry.Event) {
		for _, e := range append(events, registry.FlushDue{}, registry.FlushDue{}) {
			s.Apply(state.Step(e))
		}
	}
	yes := true
	change(registry.PageOpened{Page: "A", URL: "https://shop.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://shop.example/"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{
			{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "buy", Description: "Buys things"},
			{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "look", Annotations: offer.Annotations{ReadOnly: &yes}},
		}})
	return s, change
}

// visit connects a real MCP client; u nil gives it no way to ask its user.
func visit(t *testing.T, s *mcpserver.Server, u *user) *client.Client {
	t.Helper()
	return visitAs(t, s, u, view.Guest{})
}

// visitAs does so by another process, say.
func visitAs(t *testing.T, s *mcpserver.Server, u *user, as view.Guest) *client.Client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.ServeGuest(ctx, as, toServer, fromServer)
		_ = fromServer.Close()
	}()
	var options []client.ClientOption
	if u != nil {
		options = append(options, client.WithElicitationHandler(u))
	}
	c := client.NewClient(transport.NewIO(toClient, fromClient, io.NopCloser(strings.NewReader(""))), options...)
	t.Cleanup(func() {
		cancel()
		_ = fromClient.Close()
		<-served
		_ = c.Close()
	})
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = "2025-11-25"
	init.Params.ClientInfo = mcp.Implementation{Name: "real", Version: "1"}
	if _, err := c.Initialize(ctx, init); err != nil {
		t.Fatal(err)
	}
	return c
}

func call(t *testing.T, c *client.Client, name string, args any) string {
	t.Helper()
	r := mcp.CallToolRequest{}
	r.Params.Name, r.Params.Arguments = name, args
	result, err := c.CallTool(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, block := range result.Content {
		if b, is := block.(mcp.TextContent); is {
			text += b.Text
		}
	}
	if result.IsError {
		return "error: " + text
	}
	return text
}

func accept(answer string) *mcp.ElicitationResult {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"answer": answer}}}
}

const (
	buy  = "webmcp_shop_example_page0_buy"
	look = "webmcp_shop_example_page0_look"
)

// A real client asks its user before a page does anything that isn't known to be
// read-only, whichever way the tool is called.
func TestARealClientAsksItsUser(t *testing.T) {
	var done atomic.Int32
	s, _ := careful(t, func(c calls.Call) string {
		if done.Add(1); c.Exactly == nil || c.Exactly != c.Tool.Source() {
			t.Error("the page may call another tool than was judged")
		}
		return c.Tool.Route.Tool + string(c.Args)
	})
	u := &user{answer: func(message string) *mcp.ElicitationResult {
		for _, want := range []string{"Site: https://shop.example (tab 1)", "Tool: buy", `|   "n": 1`, "| Buys things", "preset careful", "Its definition is unchanged since "} {
			if !strings.Contains(message, want) {
				t.Errorf("%q is missing in %s", want, message)
			}
		}
		return accept("once")
	}}
	c := visit(t, s, u)
	if got := call(t, c, look, map[string]any{}); got != "look{}" || u.asked.Load() != 0 {
		t.Errorf("%s, and the user was asked %d times", got, u.asked.Load())
	}
	if got := call(t, c, buy, map[string]any{"n": 1}); got != `buy{"n":1}` || u.asked.Load() != 1 {
		t.Errorf("%s, and the user was asked %d times", got, u.asked.Load())
	}
	if got := call(t, c, "call_webmcp_tool", map[string]any{"name": "buy", "arguments": map[string]any{"n": 1}}); got != `buy{"n":1}` || u.asked.Load() != 2 {
		t.Errorf("by name: %s, and the user was asked %d times", got, u.asked.Load())
	}
	for name, answer := range map[string]*mcp.ElicitationResult{
		"the user refused it":            {ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}},
		"closed the question":            {ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}},
		"without one of the choices":     {ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"ok": true}}},
		"the answer is none of the choi": accept("always"),
	} {
		was := done.Load()
		u.answer = func(string) *mcp.ElicitationResult { return answer }
		if got := call(t, c, buy, map[string]any{"n": 1}); !strings.Contains(got, name) || done.Load() != was {
			t.Errorf("%s: %s, done %d times", name, got, done.Load()-was)
		}
	}
	// Another client that can't ask has nothing of this one's answers.
	u.answer = func(string) *mcp.ElicitationResult { return accept("day") }
	call(t, c, buy, map[string]any{"n": 1})
	if got := call(t, visit(t, s, nil), buy, map[string]any{"n": 1}); !strings.Contains(got, "can't ask its user") || strings.Contains(got, "--allow") {
		t.Errorf("another client: %s", got)
	}
}

// A page that changes its tool while its user is asked gets no call.
func TestAToolThatChangesUnderTheQuestionIsNotCalled(t *testing.T) {
	called := false
	s, change := careful(t, func(calls.Call) string { called = true; return "" })
	u := &user{answer: func(string) *mcp.ElicitationResult {
		change(registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "buy", Description: "Sells everything"}}})
		return accept("once")
	}}
	if got := call(t, visit(t, s, u), buy, map[string]any{"n": 1}); called || !strings.HasPrefix(got, "error: "+buy+" was not c") {
		t.Errorf("called %v: %s", called, got)
	}
}

// modern calls buy by protocol 2026-07-28.
func modern(t *testing.T, lines *json.Decoder, to io.Writer, more string) (result map[string]json.RawMessage, failure string) {
	t.Helper()
	return modernCall(t, lines, to, `"name":"`+buy+`","arguments":{"n":1}`+more)
}

// modernCall calls a tool by protocol 2026-07-28.
func modernCall(t *testing.T, lines *json.Decoder, to io.Writer, params string) (result map[string]json.RawMessage, failure string) {
	t.Helper()
	_, err := io.WriteString(to, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+params+
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result, Error json.RawMessage }
	if err := lines.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error != nil {
		return nil, string(answer.Error)
	}
	if err := json.Unmarshal(answer.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, answer.Result)
	}
	return result, ""
}

// session connects a client that writes its own lines.
func session(t *testing.T, s *mcpserver.Server) (*json.Decoder, io.Writer) {
	ctx, cancel := context.WithCancel(context.Background())
	toServer, to := io.Pipe()
	from, fromServer := io.Pipe()
	served := make(chan struct{})
	go func() { defer close(served); _ = s.ServeStdio(ctx, toServer, fromServer) }()
	t.Cleanup(func() { cancel(); _ = to.Close(); _ = from.Close(); <-served })
	return json.NewDecoder(from), to
}

// In protocol 2026-07-28 the question is a result, and its answer comes with the next call.
func TestQuestionsByRounds(t *testing.T) {
	s, _ := careful(t, func(c calls.Call) string { return "bought" })
	lines, to := session(t, s)
	first, _ := modern(t, lines, to, "")
	if string(first["resultType"]) != `"input_required"` || first["content"] != nil {
		t.Fatalf("the first round gave %s", first)
	}
	with := func(answers string) string {
		return `,"requestState":` + string(first["requestState"]) + `,"inputResponses":` + answers
	}
	again := with(`{"approval":{"action":"accept","content":{"answer":"once"}}}`)
	other, toOther := session(t, s)
	if r, why := modern(t, other, toOther, again); !strings.Contains(why, "its client") {
		t.Errorf("another client's answer gave %s%s", r, why)
	}
	if r, _ := modern(t, lines, to, again); string(r["resultType"]) != `"complete"` || !strings.Contains(string(r["content"]), "bought") {
		t.Errorf("the second round gave %s", r)
	}
	if _, why := modern(t, lines, to, again); !strings.Contains(why, "is over") {
		t.Errorf("the same answer again gave %s", why)
	}
	for _, answers := range []string{`{}`, `{"approval":null}`, `{"approval":"yes"}`} {
		first, _ = modern(t, lines, to, "")
		if r, why := modern(t, lines, to, with(answers)); !strings.Contains(string(r["content"]), "was not carried out") {
			t.Errorf("the answers %s gave %s%s", answers, r, why)
		}
	}
}

// A sandbox or a data: address is no way for a site around a rule about it.
func TestADeniedSitesFrames(t *testing.T) {
	r, err := rules.Parse(rules.Deny, "https://evil.test", "--deny")
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.NewSet([]*rules.Rule{r})
	if err != nil {
		t.Fatal(err)
	}
	s := mcpserver.New(mcpserver.Options{Oversight: calls.Oversight{Trust: trust.New(trust.Options{Rules: trust.NewPolicy(set)})}}, page(func(calls.Call) string { return "done" }))
	state := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{registry.PageOpened{Page: "A", URL: "https://evil.test/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://evil.test/", Origin: "https://evil.test"},
		registry.ToolsReported{Page: "A", Gen: 1, Tools: []*registry.PageTool{
			{Frame: "F", Doc: 1, Runtime: offer.Native, Name: "own", FrameURL: "https://evil.test/", Origin: "https://evil.test"},
			{Frame: "G", Doc: 2, Runtime: offer.Native, Name: "data", FrameURL: "data:text/html,x", Origin: "null"},
			{Frame: "H", Doc: 3, Runtime: offer.Native, Name: "srcdoc", FrameURL: "about:srcdoc", Origin: "null"},
			{Frame: "I", Doc: 4, Runtime: offer.Native, Name: "other", FrameURL: "https://shop.example/", Origin: "https://shop.example"},
		}}, registry.FlushDue{}, registry.FlushDue{}} {
		s.Apply(state.Step(e))
	}
	c := visit(t, s, nil)
	for name, want := range map[string]string{"own": "denies it", "data": "denies it", "srcdoc": "denies it", "other": "done"} {
		if got := call(t, c, "call_webmcp_tool", map[string]any{"name": name}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
