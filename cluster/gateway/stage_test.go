package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
	"webmcphub/cluster/gateway"
	"webmcphub/cluster/node"
	"webmcphub/registry"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// site is a node with one fake Chrome.
type site struct {
	*node.Node
	t      *testing.T
	name   string
	chrome *cdptest.Browser
}

type dialer struct{ chrome *cdptest.Browser }

func (d dialer) Dial(context.Context) (cdpclient.Wire, error) { return d.chrome.Connect(), nil }

func logger(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// startNode starts a node with one browser, "chrome-1".
func startNode(t *testing.T, name string, set ...func(*node.Options)) *site {
	s := &site{t: t, name: name, chrome: cdptest.New()}
	o := node.Options{Name: name, Listen: "127.0.0.1:0", Build: "test", Logger: logger(t), Labels: map[string]string{"of": name},
		Browsers: []node.Browser{{Own: true, BrowserOptions: actors.BrowserOptions{NamedBrowser: registry.NamedBrowser{Name: "chrome-1"}, ConnectOptions: actors.ConnectOptions{Dialer: dialer{s.chrome}}, Key: "1"}}}}
	for _, f := range set {
		f(&o)
	}
	var err error
	if s.Node, err = node.Start(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		s.chrome.Die()
	})
	return s
}

// open opens a page with tools.
func (s *site) open(url string, tools ...cdptest.Tool) *cdptest.Page {
	p := s.chrome.OpenPage(url)
	p.Register(tools...)
	return p
}

func tool(name string, execute func(ctx context.Context, args json.RawMessage) (any, error)) cdptest.Tool {
	return cdptest.Tool{Name: name, Description: "does " + name, Execute: execute}
}

func says(text string) func(context.Context, json.RawMessage) (any, error) {
	return func(context.Context, json.RawMessage) (any, error) { return text, nil }
}

// startGateway starts a gateway for these nodes.
func startGateway(t *testing.T, name string, nodes []*site, set ...func(*gateway.Options)) *gateway.Gateway {
	o := gateway.Options{Name: name, Build: "test", Logger: logger(t)}
	for _, f := range set {
		f(&o)
	}
	g, err := gateway.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	at := map[string]string{}
	for _, n := range nodes {
		at[n.name] = n.Addr()
	}
	g.SetNodes(at)
	return g
}

// agent is an MCP client of a gateway.
type agent struct {
	t  *testing.T
	in io.WriteCloser

	mu      sync.Mutex
	last    int
	answers map[int]chan answer
	asks    func(method string, params json.RawMessage) any // answers requests of the server
	changed chan struct{}                                   // holds a token from each list_changed
	told    chan message                                    // other notifications
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	answer
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// connect connects a client to a tenant's server.
func connect(t *testing.T, g *gateway.Gateway, tenant string) *agent {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = g.Server(tenant).ServeStdio(ctx, toServer, fromServer)
		_ = fromServer.Close()
	}()
	a := newAgent(t, in, out)
	t.Cleanup(func() {
		_ = in.Close()
		end()
		<-served
	})
	a.greet()
	return a
}

// newAgent makes a client that speaks by in, and reads what the server says until out ends.
func newAgent(t *testing.T, in io.WriteCloser, out io.Reader) *agent {
	a := &agent{t: t, in: in, answers: map[int]chan answer{}, changed: make(chan struct{}, 1), told: make(chan message, 100)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		a.read(out)
	}()
	t.Cleanup(func() { <-read })
	return a
}

// greet begins the session.
func (a *agent) greet() {
	a.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"agent","version":"1"}}`)
	a.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (a *agent) say(line string) {
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Error(err)
	}
}

func (a *agent) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			a.t.Errorf("the server says %q", line)
			continue
		}
		switch {
		case m.Method == "notifications/tools/list_changed":
			select {
			case a.changed <- struct{}{}:
			default:
			}
		case m.Method != "" && m.ID != nil:
			raw, _ := json.Marshal(a.asks(m.Method, m.Params))
			go a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, raw))
		case m.Method != "":
			select {
			case a.told <- m:
			default:
			}
		default:
			id, _ := strconv.Atoi(string(m.ID))
			a.mu.Lock()
			to := a.answers[id]
			delete(a.answers, id)
			a.mu.Unlock()
			to <- m.answer
		}
	}
}

// begin sends a request; the answer comes by the channel.
func (a *agent) begin(method, params string) (id int, to chan answer) {
	a.mu.Lock()
	a.last++
	id, to = a.last, make(chan answer, 1)
	a.answers[id] = to
	a.mu.Unlock()
	a.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	return id, to
}

func (a *agent) ask(method, params string) json.RawMessage {
	a.t.Helper()
	_, to := a.begin(method, params)
	got := a.await(to)
	if got.Error != nil {
		a.t.Fatalf("%s: %s", method, got.Error.Message)
	}
	return got.Result
}

func (a *agent) await(to chan answer) answer {
	a.t.Helper()
	select {
	case got := <-to:
		return got
	case <-time.After(patience):
		a.t.Fatal("no answer")
		return answer{}
	}
}

// pageTools are the listed tools of pages, sorted.
func (a *agent) pageTools() (names []string) {
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(a.ask("tools/list", `{}`), &list); err != nil {
		a.t.Fatal(err)
	}
	for _, t := range list.Tools {
		if strings.HasPrefix(t.Name, "webmcp_") {
			names = append(names, t.Name)
		}
	}
	slices.Sort(names)
	return names
}

// wants lists after each list_changed until the list is as wanted.
func (a *agent) wants(names ...string) {
	a.t.Helper()
	slices.Sort(names)
	late := time.After(patience)
	for {
		got := a.pageTools()
		if slices.Equal(got, names) {
			return
		}
		select {
		case <-a.changed:
		case <-late:
			a.t.Fatalf("the tools are %q, want %q", got, names)
		}
	}
}

// result is a call's.
type result struct {
	Content []struct{ Text string }
	IsError bool
	raw     json.RawMessage
}

func (r result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

func (a *agent) resultOf(got answer) (r result) {
	a.t.Helper()
	if got.Error != nil {
		a.t.Fatal(got.Error.Message)
	}
	if err := json.Unmarshal(got.Result, &r); err != nil {
		a.t.Fatal(err)
	}
	r.raw = got.Result
	return r
}

// call calls a tool and waits for the result.
func (a *agent) call(name, args string) result {
	a.t.Helper()
	_, to := a.begin("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	return a.resultOf(a.await(to))
}

// gives calls and compares the text.
func (a *agent) gives(name, want string) {
	a.t.Helper()
	if r := a.call(name, `{}`); r.IsError || !strings.Contains(r.text(), want) {
		a.t.Errorf("%s gives %s, want %s", name, r.raw, want)
	}
}
