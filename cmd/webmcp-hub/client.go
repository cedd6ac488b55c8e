package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// attachFlags reach a Chrome that is running. Without any, the usual
// debugging port is tried.
type attachFlags struct {
	BrowserURL  string        `xor:"reach" name:"browser-url" placeholder:"URL" help:"Default: http://127.0.0.1:9222."`
	WSEndpoint  string        `xor:"reach" name:"ws-endpoint" placeholder:"URL" help:"Attach to this DevTools websocket."`
	WSHeader    []string      `name:"ws-header" sep:"none" placeholder:"NAME: VALUE" help:"Send this header with --ws-endpoint. Repeatable."`
	AutoConnect bool          `xor:"reach" help:"Attach to the Chrome that you are using."`
	Channel     string        `enum:",stable,beta,dev,canary,chromium" default:"" help:"With --auto-connect: whose profile to look in."`
	UserDataDir string        `type:"path" placeholder:"DIR" help:"With --auto-connect: the profile to look in."`
	Wait        time.Duration `default:"5s" help:"How long to wait for Chrome and for the tool."`
	Verbose     bool          `short:"v" help:"Log to standard error what the hub does."`
}

func (f attachFlags) chrome() chromeFlags {
	c := chromeFlags{BrowserURL: f.BrowserURL, WSEndpoint: f.WSEndpoint, WSHeader: f.WSHeader, AutoConnect: f.AutoConnect, Channel: f.Channel, UserDataDir: f.UserDataDir}
	if c.launches() {
		c.BrowserURL = "http://127.0.0.1:9222"
	}
	return c
}

// Validate is called by the parser.
func (f attachFlags) Validate() error { return usage(f.chrome().validate()) }

func (f attachFlags) logger() *slog.Logger {
	if !f.Verbose {
		return slog.New(slog.DiscardHandler)
	}
	log, _, err := logFlags{LogLevel: "debug"}.logger()
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// agent is an MCP client of a hub.
type agent struct {
	*client.Client
	changed chan struct{} // filled when the tool list changed
}

func newAgent(ctx context.Context, t transport.Interface) (*agent, error) {
	a := &agent{client.NewClient(t, client.WithLegacyProtocolOnly()), make(chan struct{}, 1)}
	a.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == string(mcp.MethodNotificationToolsListChanged) {
			select {
			case a.changed <- struct{}{}:
			default:
			}
		}
	})
	if err := a.Start(ctx); err != nil {
		return nil, err
	}
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	request.Params.ClientInfo = mcp.Implementation{Name: "webmcp-hub", Version: version}
	if _, err := a.Initialize(ctx, request); err != nil {
		return nil, fmt.Errorf("the hub did not answer: %w", err)
	}
	return a, nil
}

// until lists the tools, again at each change, until done says so or ctx ends.
func (a *agent) until(ctx context.Context, done func([]mcp.Tool) bool) ([]mcp.Tool, error) {
	for {
		list, err := a.ListTools(ctx, mcp.ListToolsRequest{})
		if err != nil {
			return nil, err
		}
		if done(list.Tools) {
			return list.Tools, nil
		}
		select {
		case <-a.changed:
		case <-ctx.Done():
			return list.Tools, ctx.Err()
		}
	}
}

// callTool calls a tool with arguments as they stand.
func (a *agent) callTool(ctx context.Context, name string, args any) (*mcp.CallToolResult, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name = name
	request.Params.Arguments = args
	return a.CallTool(ctx, request)
}

// withHub runs use as a client of a hub in this process.
func withHub(f attachFlags, use func(context.Context, *agent) error) error {
	log := f.logger()
	server, hub, err := startHub(f.chrome(), defaultHubFlags(), false, false, extras{}, log)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.ServeStdio(ctx, toServer, fromServer) }()
	defer func() {
		cancel()
		_ = fromClient.Close()
		<-served
		grace, done := context.WithTimeout(context.Background(), stopGrace)
		defer done()
		_ = hub.Stop(grace)
	}()
	a, err := newAgent(ctx, transport.NewIO(toClient, fromClient, io.NopCloser(noLog{})))
	if err != nil {
		return err
	}
	return use(ctx, a)
}

// noLog is an empty stream.
type noLog struct{}

func (noLog) Read([]byte) (int, error) { return 0, io.EOF }
