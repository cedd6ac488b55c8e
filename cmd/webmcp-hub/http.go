package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"webmcphub/internal/private"
	"webmcphub/registry/mcpserver"
)

// httpFlags say whether and to whom MCP is served over HTTP.
type httpFlags struct {
	Listen          string   `group:"common" placeholder:"ADDR" help:"Serve MCP over streamable HTTP too, at http://ADDR/mcp, for any number of clients: 127.0.0.1:8808, or just a port."`
	Stdio           bool     `default:"true" negatable:"" help:"Serve MCP over stdin and stdout. --no-stdio serves over HTTP only, until a signal; stdin is not read."`
	TokenFile       string   `type:"path" placeholder:"FILE" help:"The file with the token that HTTP clients must send. Default: one of the hub's own. Made at the first start."`
	Token           bool     `default:"true" negatable:"" help:"Ask HTTP clients for the token. --no-token asks for none: every program and user of this computer may use your browser then. On loopback addresses only."`
	AllowHTTPOrigin []string `name:"allow-http-origin" sep:"none" placeholder:"ORIGIN" help:"Let web pages of this origin be HTTP clients, for example https://client.example. Repeatable. With a token, pages on this computer may be anyway."`
}

func (f httpFlags) validate() error {
	switch {
	case f.Listen == "" && !f.Stdio:
		return errors.New("--no-stdio goes with --listen: without both there is no way to reach the hub")
	case f.Listen == "" && (f.TokenFile != "" || !f.Token || len(f.AllowHTTPOrigin) > 0):
		return errors.New("--token-file, --no-token and --allow-http-origin go with --listen only")
	case !f.Token && f.TokenFile != "":
		return errors.New("--no-token and --token-file exclude each other")
	}
	for _, origin := range f.AllowHTTPOrigin {
		if err := checkURL("--allow-http-origin", origin, "http", "https"); err != nil {
			return err
		}
	}
	return nil
}

// httpListener is an open port and what is needed to serve on it.
type httpListener struct {
	net.Listener
	options mcpserver.HTTPOptions
	log     *slog.Logger
}

// open listens, and says where and with which token clients reach the hub. It
// gives nil if the flags don't ask for HTTP.
func (f httpFlags) open(log *slog.Logger) (*httpListener, error) {
	if f.Listen == "" {
		return nil, nil
	}
	host, addr, err := listenAddress(f.Listen)
	if err != nil {
		return nil, usage(err)
	}
	l := &httpListener{log: log, options: mcpserver.HTTPOptions{Host: host, Origins: f.AllowHTTPOrigin}}
	where := "none is asked for"
	switch {
	case !f.Token && !addr.IP.IsLoopback():
		return nil, usage(fmt.Errorf("--no-token is for loopback addresses only, and %s is not one: anybody on the network could use your browser", f.Listen))
	case f.Token:
		if where, err = f.tokenFile(); err != nil {
			return nil, err
		}
		if l.options.Token, err = private.Token(where); err != nil {
			return nil, err
		}
	}
	if l.Listener, err = net.ListenTCP("tcp", addr); err != nil {
		return nil, fmt.Errorf("--listen %s: %w; choose another port, or end the program that has it", f.Listen, err)
	}
	if !addr.IP.IsLoopback() {
		log.Warn("MCP is served beyond this computer, and not encrypted: whoever reads the network can use your browser", "address", l.Addr())
	}
	log.Info("MCP is served over HTTP", "url", "http://"+l.Addr().String()+mcpserver.HTTPPath, "token", where)
	return l, nil
}

// listenAddress resolves what --listen names. A port alone means this
// computer, not all the world.
func listenAddress(listen string) (host string, addr *net.TCPAddr, err error) {
	if _, err := strconv.ParseUint(listen, 10, 16); err == nil {
		listen = ":" + listen
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", nil, fmt.Errorf("--listen must be an address and a port, such as 127.0.0.1:8808, not %q", listen)
	}
	host = cmp.Or(host, "127.0.0.1")
	addr, err = net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", nil, fmt.Errorf("--listen %s: %w", listen, err)
	}
	return host, addr, nil
}

// close is for a listener that was not served on; l may be nil.
func (l *httpListener) close() {
	if l != nil {
		_ = l.Close()
	}
}

// serve serves HTTP until ctx ends.
func (l *httpListener) serve(ctx context.Context, server *mcpserver.Server) error {
	if err := server.ServeStreamableHTTP(ctx, l, l.options); err != nil {
		return fmt.Errorf("MCP is no longer served over HTTP: %w", err)
	}
	return context.Cause(ctx)
}

// serveBeside serves HTTP until the returned function is called, which waits
// for the end; failed is told why it ended before. l may be nil.
func (l *httpListener) serveBeside(ctx context.Context, server *mcpserver.Server, failed func(error)) (stop func()) {
	if l == nil {
		return func() {}
	}
	return beside(ctx, func(ctx context.Context) {
		if err := l.serve(ctx, server); ctx.Err() == nil {
			failed(err)
		}
	})
}

// beside serves in a goroutine until the returned function is called, which
// waits for the end.
func beside(ctx context.Context, serve func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(ctx)
	}()
	return func() {
		cancel()
		<-served
	}
}
