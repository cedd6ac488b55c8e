package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/internal/agent"
	"webmcphub/internal/jsonrpc"
)

//go:embed demo/*.html
var demoPages embed.FS

// demoHost is this computer to every Chrome. Unlike those of localhost itself,
// the names of its tools don't carry the port, so they are the same each time.
const demoHost = "shop.localhost"

// demoTimeout bounds the whole show.
const demoTimeout = time.Minute

// demoCmd shows the main job: the hub runs as a process of its own, and the
// demo is its MCP client and the user who opens tabs.
type demoCmd struct {
	ExecutablePath string `type:"path" placeholder:"FILE" help:"The Chrome to start."`
}

func (c demoCmd) Run() (err error) {
	ctx, cancel := untilSignal(demoTimeout)
	defer cancel()
	address, stop, err := serveDemo()
	if err != nil {
		return err
	}
	defer stop()
	user, err := startDemoUser(ctx, c.ExecutablePath)
	if err != nil {
		return err
	}
	defer user.close()
	hub, err := startDemoHub(ctx, user.debugging)
	if err != nil {
		return err
	}
	defer hub.Close()
	show := &show{ctx: ctx, out: os.Stdout, user: user, agent: hub, shop: address}
	if err := show.run(); err != nil {
		return fmt.Errorf("the demo broke off: %w", err)
	}
	return nil
}

// serveDemo serves the built-in pages on a free port of this machine.
func serveDemo() (address string, stop func(), err error) {
	pages, err := fs.Sub(demoPages, "demo")
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("the demo's pages can't be served: %w", err)
	}
	server := &http.Server{Handler: http.FileServerFS(pages), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil { // it's an address of the system's
		panic(err)
	}
	return "http://" + net.JoinHostPort(demoHost, port) + "/", func() { _ = server.Close() }, nil
}

// demoUser opens, moves and closes tabs, as a person would.
type demoUser struct {
	chrome    *launch.Chrome
	conn      *cdpclient.Conn
	debugging string // the address at which the hub attaches
}

func startDemoUser(ctx context.Context, path string) (*demoUser, error) {
	chrome, err := launch.Start(ctx, launch.Options{ExecutablePath: path, Headless: true, Args: []string{"--remote-debugging-port=0"}})
	if err != nil {
		return nil, fmt.Errorf("%w (webmcp-hub doctor tells more)", err)
	}
	u := &demoUser{chrome: chrome, conn: cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})}
	if u.debugging, err = cdpclient.ActivePortURL(chrome.UserDataDir); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

func (u *demoUser) close() {
	_ = u.conn.Close()
	_ = u.chrome.Close()
}

// open opens a tab and returns its target id.
func (u *demoUser) open(ctx context.Context, url string) (string, error) {
	var reply cdpclient.CreateTargetResult
	err := u.conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": url}, &reply)
	return string(reply.TargetID), err
}

// closeTab closes a tab.
func (u *demoUser) closeTab(ctx context.Context, id string) error {
	return u.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": id}, nil)
}

// navigate takes a tab to another address.
func (u *demoUser) navigate(ctx context.Context, id, url string) error {
	var attached struct{ SessionID cdpclient.SessionID }
	if err := u.conn.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": id, "flatten": true}, &attached); err != nil {
		return err
	}
	return u.conn.Call(ctx, attached.SessionID, cdpclient.PageNavigate, map[string]any{"url": url}, nil)
}

// closeOthers closes all tabs but one.
func (u *demoUser) closeOthers(ctx context.Context, keep string) error {
	var targets cdpclient.GetTargetsResult
	if err := u.conn.Call(ctx, "", cdpclient.TargetGetTargets, nil, &targets); err != nil {
		return err
	}
	for _, t := range targets.TargetInfos {
		if t.Type == cdpclient.TypePage && t.TargetID != keep {
			if err := u.closeTab(ctx, t.TargetID); err != nil {
				return err
			}
		}
	}
	return nil
}

// startDemoHub runs this program again, as an MCP client would.
func startDemoHub(ctx context.Context, debugging string) (*agent.Agent, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	t := transport.NewStdio(self, nil, "serve", "--ws-endpoint", debugging, "--log-level", "warn")
	a, err := agent.New(ctx, t, "webmcp-hub", version)
	if err != nil {
		return nil, err
	}
	go func() { _, _ = io.Copy(os.Stderr, t.Stderr()) }()
	return a, nil
}

// show is the demo's script.
type show struct {
	ctx   context.Context
	out   io.Writer
	user  *demoUser
	agent *agent.Agent
	shop  string

	seen []mcp.Tool
}

func (s *show) run() error {
	s.say("A user opens a shop whose page registers WebMCP tools. The agent's tool list follows:")
	shop, err := s.user.open(s.ctx, s.shop+"shop.html")
	if err != nil {
		return err
	}
	if err := s.user.closeOthers(s.ctx, shop); err != nil {
		return err
	}
	if err := s.expect("_page0_search", "_page0_add_to_cart"); err != nil {
		return err
	}
	s.say("The agent searches:")
	if err := s.call("search", map[string]any{"query": "o"}); err != nil {
		return err
	}
	s.say("It forgets an argument. The hub says so without asking the page:")
	if err := s.call("add_to_cart", map[string]any{"product": "coffee"}); err != nil {
		return err
	}
	s.say("It fills the cart, and the page offers one tool more:")
	if err := s.call("add_to_cart", map[string]any{"product": "coffee", "count": 2}); err != nil {
		return err
	}
	if err := s.expect("_page0_search", "_page0_add_to_cart", "_page0_checkout"); err != nil {
		return err
	}
	s.say("A second tab opens, with an MCP server of its own in the page. Both tabs' tools are there at once:")
	if _, err := s.user.open(s.ctx, s.shop+"support.html"); err != nil {
		return err
	}
	if err := s.expect("_page0_search", "_page0_add_to_cart", "_page0_checkout", "_page1_open_ticket"); err != nil {
		return err
	}
	if err := s.call("open_ticket", map[string]any{"text": "Is the coffee ground?"}); err != nil {
		return err
	}
	if err := s.call("checkout", map[string]any{}); err != nil {
		return err
	}
	if err := s.expect("_page0_search", "_page0_add_to_cart", "_page1_open_ticket"); err != nil {
		return err
	}
	s.say("The user leaves the shop for a page without tools:")
	if err := s.user.navigate(s.ctx, shop, s.shop+"about.html"); err != nil {
		return err
	}
	if err := s.expect("_page1_open_ticket"); err != nil {
		return err
	}
	s.say("And closes that tab; the other one is the first now:")
	if err := s.user.closeTab(s.ctx, shop); err != nil {
		return err
	}
	if err := s.expect("_page0_open_ticket"); err != nil {
		return err
	}
	s.say("That is all. To use it, add it to your agent:\n  " + setupLine())
	return nil
}

func (s *show) say(text string) { fmt.Fprintf(s.out, "\n%s\n", text) }

// expect waits until the page tools are those whose names end so, and prints
// what has changed.
func (s *show) expect(endings ...string) error {
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	tools, err := s.agent.Until(ctx, func(list []mcp.Tool) bool {
		page := pageTools(list)
		return len(page) == len(endings) && !slices.ContainsFunc(endings, func(e string) bool { return !has(page, e) })
	})
	s.printChanges(pageTools(tools))
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the tools ending in %s were expected", strings.Join(endings, ", "))
	}
	return err
}

func pageTools(list []mcp.Tool) []mcp.Tool {
	return slices.DeleteFunc(slices.Clone(list), func(t mcp.Tool) bool { return !strings.HasPrefix(t.Name, "webmcp_") })
}

func has(list []mcp.Tool, ending string) bool {
	return slices.ContainsFunc(list, func(t mcp.Tool) bool { return strings.HasSuffix(t.Name, ending) })
}

func (s *show) printChanges(now []mcp.Tool) {
	named := func(list []mcp.Tool, name string) bool {
		return slices.ContainsFunc(list, func(t mcp.Tool) bool { return t.Name == name })
	}
	for _, t := range s.seen {
		if !named(now, t.Name) {
			fmt.Fprintf(s.out, "  - %s\n", t.Name)
		}
	}
	for _, t := range now {
		if !named(s.seen, t.Name) {
			fmt.Fprintf(s.out, "  + %s\n      %s\n", t.Name, t.Description)
		}
	}
	s.seen = now
}

// call calls the tool that a page knows by this name, as an agent would, and
// prints both sides.
func (s *show) call(name string, args map[string]any) error {
	i := slices.IndexFunc(s.seen, func(t mcp.Tool) bool { return strings.HasSuffix(t.Name, "_"+name) })
	if i < 0 {
		return fmt.Errorf("%s is not in the list", name)
	}
	raw, err := jsonrpc.Encode(args)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "  > %s %s\n", s.seen[i].Name, raw)
	result, err := s.agent.Call(s.ctx, s.seen[i].Name, args)
	if err != nil {
		return err
	}
	agent.Print(indented{s.out}, result)
	return nil
}

// indented puts the sign for a result before each line.
type indented struct{ io.Writer }

func (w indented) Write(p []byte) (int, error) {
	for _, line := range strings.Split(strings.TrimRight(string(p), "\n"), "\n") {
		if _, err := fmt.Fprintf(w.Writer, "  < %s\n", line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
