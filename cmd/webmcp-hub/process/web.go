package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"webmcphub/internal/hosts"
	"webmcphub/internal/private"
	"webmcphub/mcpserver"
)

// HTTPFlags say whether and to whom MCP is served over HTTP.
type HTTPFlags struct {
	Listen          string   `group:"common" placeholder:"ADDR" help:"Serve MCP over streamable HTTP too, at http://ADDR/mcp, for any number of clients: 127.0.0.1:8808, or just a port."`
	Stdio           bool     `default:"true" negatable:"" help:"Serve MCP over stdin and stdout. --no-stdio serves over HTTP only, until a signal; stdin is not read."`
	TokenFile       string   `type:"path" placeholder:"FILE" help:"The file with the token that HTTP clients must send. Default: a file of the hub's own, created at the first start."`
	Token           bool     `default:"true" negatable:"" help:"Ask HTTP clients for the token. With --no-token every program and user of this computer may use your browser. Loopback addresses only."`
	AllowHost       []string `sep:"none" placeholder:"NAME" help:"Serve HTTP clients that reach this computer by this name, too, such as a proxy's or a service's: mcp.example. Without a port. Repeatable. Not with --no-token."`
	AllowHTTPOrigin []string `name:"allow-http-origin" sep:"none" placeholder:"ORIGIN" help:"Let web pages of this origin be HTTP clients, for example https://client.example. Repeatable. With a token, pages served by this computer may always be clients."`
}

// Check returns an error for flags that contradict each other.
func (f HTTPFlags) Check() error {
	switch {
	case f.Listen == "" && !f.Stdio:
		return errors.New("--no-stdio goes with --listen: without both there is no way to reach the hub")
	case f.Listen == "" && (f.TokenFile != "" || !f.Token || len(f.AllowHTTPOrigin)+len(f.AllowHost) > 0):
		return errors.New("--token-file, --no-token, --allow-host and --allow-http-origin go with --listen only")
	case !f.Token && len(f.AllowHost) > 0:
		return errors.New("--no-token and --allow-host exclude each other: any web page could reach the hub by that name")
	case !f.Token && f.TokenFile != "":
		return errors.New("--no-token and --token-file exclude each other")
	}
	if f.Listen != "" {
		_, addr, err := ListenAddress(f.Listen)
		if err != nil {
			return err
		}
		if !f.Token && !addr.IP.IsLoopback() {
			return fmt.Errorf("--no-token is for loopback addresses only, and %s is not one: anybody on the network "+
				"could use your browser", f.Listen)
		}
	}
	for _, name := range f.AllowHost {
		if u, err := url.Parse("http://" + name); err != nil || name == "" || u.Host != name || u.Port() != "" ||
			u.Hostname() == "" {
			return fmt.Errorf("--allow-host must be a name without scheme, port and path, such as mcp.example, not %q",
				name)
		}
	}
	for _, origin := range f.AllowHTTPOrigin {
		if err := hosts.CheckURL("--allow-http-origin", origin, "http", "https"); err != nil {
			return err
		}
	}
	return nil
}

// HTTPListener is an open port and what is needed to serve on it.
type HTTPListener struct {
	// Options may be changed before ServeBeside.
	Options mcpserver.HTTPOptions

	bound net.Listener
	log   *slog.Logger
}

// Open listens, and logs the address and the token for clients. It returns nil if the flags don't ask for HTTP.
func (f HTTPFlags) Open(log *slog.Logger) (*HTTPListener, error) {
	if f.Listen == "" {
		return nil, nil
	}
	where, token, err := f.ReadToken()
	if err != nil {
		return nil, err
	}
	l, err := f.OpenTo(where, log)
	if l != nil {
		l.Options.Token = token
	}
	return l, err
}

// Resolved returns flags by which another process can listen where l does, with the same token.
func (f HTTPFlags) Resolved(l *HTTPListener) (HTTPFlags, error) {
	_, port, err := net.SplitHostPort(l.bound.Addr().String())
	if err == nil && f.Token {
		f.TokenFile, err = f.Place()
	}
	f.Listen = net.JoinHostPort(l.Options.Host, port)
	return f, err
}

// ReadToken reads the token that clients must send, and makes one if there is none. where says, for the log, where
// the token is. token is "" if the flags don't ask for HTTP, or for a token.
func (f HTTPFlags) ReadToken() (where, token string, err error) {
	if f.Listen == "" || !f.Token {
		return "none is asked for", "", nil
	}
	if where, err = f.Place(); err == nil {
		token, err = private.Token(where)
	}
	return where, token, err
}

// OpenTo listens for clients whose tokens the caller knows; see [HTTPListener.ServeEachBeside]. where says, for the
// log, where those clients get their tokens.
func (f HTTPFlags) OpenTo(where string, log *slog.Logger) (*HTTPListener, error) {
	host, addr, err := ListenAddress(f.Listen)
	if err != nil {
		return nil, err
	}
	l := &HTTPListener{log: log, Options: mcpserver.HTTPOptions{Host: host, Names: f.AllowHost,
		Origins: f.AllowHTTPOrigin}}
	if l.bound, err = net.ListenTCP("tcp", addr); err != nil {
		return nil, fmt.Errorf("--listen %s: %w; choose another port, or end the program that has it", f.Listen, err)
	}
	if !addr.IP.IsLoopback() {
		log.Warn("MCP is served beyond this computer, and not encrypted: whoever reads the network can use your browser", "address", l.bound.Addr())
	}
	log.Info("MCP is served over HTTP", "url", "http://"+l.bound.Addr().String()+mcpserver.HTTPPath, "token", where)
	return l, nil
}

// ListenAddress resolves the address of --listen, and returns its host, too. A port alone means 127.0.0.1, not all
// interfaces.
func ListenAddress(listen string) (host string, addr *net.TCPAddr, err error) {
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

// Close closes a listener that was never served on; l may be nil.
func (l *HTTPListener) Close() {
	if l != nil {
		_ = l.bound.Close()
	}
}

// ServeBeside serves HTTP until the returned function is called; that function waits for the end. If serving ends
// before, failed gets the reason. l may be nil.
func (l *HTTPListener) ServeBeside(ctx context.Context, server *mcpserver.Server, failed func(error)) (stop func()) {
	if l == nil {
		return func() {}
	}
	return l.beside(ctx, failed, func(ctx context.Context) error {
		return server.ServeStreamableHTTP(ctx, l.bound, l.Options)
	})
}

// ServeEachBeside is ServeBeside for clients that are told apart by their tokens, see [mcpserver.ServeEachOverHTTP].
// Paths below prefix are passed on, too.
func (l *HTTPListener) ServeEachBeside(ctx context.Context, prefix string, whom func(token string) http.Handler,
	end func(error), failed func(error)) (stop func()) {
	l.Options.Prefix = prefix
	return l.beside(ctx, failed, func(ctx context.Context) error {
		return mcpserver.ServeEachOverHTTP(ctx, l.bound, l.Options, whom, end, l.log)
	})
}

func (l *HTTPListener) beside(ctx context.Context, failed func(error),
	serve func(context.Context) error) (stop func()) {
	return Beside(ctx, func(ctx context.Context) {
		err := serve(ctx)
		if ctx.Err() == nil {
			failed(fmt.Errorf("MCP is no longer served over HTTP: %w", err))
		}
	})
}

// Place returns the file with the token.
func (f HTTPFlags) Place() (string, error) {
	if f.TokenFile != "" {
		return f.TokenFile, nil
	}
	file, err := private.Place("token")
	if err != nil {
		return "", fmt.Errorf("there is no place for the token (%w); name a file by --token-file", err)
	}
	return file, nil
}
