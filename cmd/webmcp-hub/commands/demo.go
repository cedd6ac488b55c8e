package commands

import (
	"context"
	"embed"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/mark3labs/mcp-go/client/transport"

	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/agent"
	"webmcphub/internal/terminal"
)

//go:embed *.html
var pageFiles embed.FS

// host resolves to this computer in every Chrome. Unlike with localhost itself, tool names don't contain the port, so
// they are the same each time.
const host = "shop.localhost"

// demoTimeout limits the whole demo.
const demoTimeout = time.Minute

// Demo shows what the hub does.
type Demo struct {
	ExecutablePath string `type:"path" placeholder:"FILE" help:"The Chrome to start."`
	Quiet          bool   `short:"q" env:"-" help:"Show no progress on the terminal."`
}

// Run runs the demo. The program's version is among the parser's variables.
func (c *Demo) Run(vars kong.Vars) error {
	ctx, cancel := process.UntilSignal(demoTimeout)
	defer cancel()
	line := terminal.On(os.Stderr, c.Quiet)
	defer line.Done()
	const parts = 2
	address, stop, err := servePages()
	if err != nil {
		return err
	}
	defer stop()
	line.Step(1, parts, "waiting for Chrome")
	user, err := startUser(ctx, c.ExecutablePath)
	if err != nil {
		return err
	}
	defer user.close()
	line.Step(2, parts, "starting the hub")
	hub, err := startHub(ctx, user.debugging, strings.TrimPrefix(vars["version"], "webmcp-hub "))
	if err != nil {
		return err
	}
	defer hub.Close()
	line.Done()
	show := &show{ctx: ctx, user: user, agent: hub, shop: address}
	show.play()
	if show.err != nil {
		return fmt.Errorf("the demo broke off: %w", show.err)
	}
	show.say("That is all. To use it, add it to your agent:\n  " + process.SetupLine())
	return nil
}

// servePages serves the built-in pages on a free port of this machine.
func servePages() (address string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("the demo's pages can't be served: %w", err)
	}
	server := &http.Server{Handler: http.FileServerFS(pageFiles), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil { // the address comes from the system
		panic(err)
	}
	return "http://" + net.JoinHostPort(host, port) + "/", func() { _ = server.Close() }, nil
}

// user opens, moves and closes tabs, as a person would.
type user struct {
	chrome    *launch.Chrome
	conn      *cdpclient.Conn
	debugging string // the address at which the hub attaches
}

func startUser(ctx context.Context, path string) (*user, error) {
	chrome, err := launch.Start(ctx,
		launch.Options{ExecutablePath: path, Headless: true, Args: []string{"--remote-debugging-port=0"}})
	if err != nil {
		return nil, fmt.Errorf("%w (webmcp-hub doctor tells more)", err)
	}
	u := &user{chrome: chrome, conn: cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})}
	if u.debugging, err = cdpclient.ActivePortURL(chrome.UserDataDir); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

func (u *user) close() {
	_ = u.conn.Close()
	_ = u.chrome.Close()
}

// open opens a tab and returns its target id.
func (u *user) open(ctx context.Context, url string) (string, error) {
	var reply cdpclient.CreateTargetResult
	err := u.conn.Call(ctx, "", cdpclient.TargetCreateTarget, map[string]any{"url": url}, &reply)
	return string(reply.TargetID), err
}

// closeTab closes a tab.
func (u *user) closeTab(ctx context.Context, id string) error {
	return u.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]any{"targetId": id}, nil)
}

// navigate takes a tab to another address.
func (u *user) navigate(ctx context.Context, id, url string) error {
	session, err := u.conn.AttachTo(ctx, id)
	if err != nil {
		return err
	}
	return u.conn.Call(ctx, session, cdpclient.PageNavigate, map[string]any{"url": url}, nil)
}

// closeOthers closes all tabs but one.
func (u *user) closeOthers(ctx context.Context, keep string) error {
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

// startHub runs this program again, as an MCP client would.
func startHub(ctx context.Context, debugging, version string) (*agent.Agent, error) {
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
