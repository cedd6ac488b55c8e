package process

import (
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func parse(t *testing.T, args ...string) (f HTTPFlags) {
	parser, err := kong.New(&f)
	if err == nil {
		_, err = parser.Parse(args)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHTTPFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want string // in the error; empty if there is none
	}{
		{"", ""},
		{"--listen 127.0.0.1:0", ""},
		{"--listen 0", ""},
		{"--listen :0 --no-token", ""},
		{"--listen 127.9.9.9:0 --no-token", ""},
		{"--listen localhost:0 --no-token", ""},
		{"--no-stdio", "goes with --listen"},
		{"--no-token", "go with --listen"},
		{"--allow-http-origin https://a.example", "go with --listen"},
		{"--listen 0 --allow-http-origin a.example", "must be a URL"},
		{"--listen 0 --allow-host mcp.example", ""},
		{"--allow-host mcp.example", "go with --listen"},
		{"--listen 0 --allow-host mcp.example --no-token", "exclude each other"},
		{"--listen 0 --allow-host mcp.example:80", "must be a name"},
		{"--listen 0 --allow-host http://mcp.example", "must be a name"},
		{"--listen 0 --allow-host mcp.example/x", "must be a name"},
		{"--listen nonsense", "must be an address and a port"},
		{"--listen 0.0.0.0:0 --no-token", "loopback addresses only"},
		{"--listen [::]:0 --no-token", "loopback addresses only"},
		{"--listen 192.0.2.1:0 --no-token", "loopback addresses only"},
	} {
		t.Run(c.args, func(t *testing.T) {
			f := parse(t, strings.Fields(c.args)...)
			if err := f.Check(); err != nil {
				if c.want == "" || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if f.Listen != "" && f.Token {
				f.TokenFile = filepath.Join(t.TempDir(), "token")
			}
			l, err := f.Open(slog.New(slog.DiscardHandler))
			t.Cleanup(l.Close)
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v", err)
			case l != nil && !l.bound.Addr().(*net.TCPAddr).IP.IsLoopback():
				t.Errorf("bound to %v", l.bound.Addr())
			case l != nil && (l.Options.Token == "") != !f.Token:
				t.Errorf("token %q", l.Options.Token)
			}
		})
	}
}

func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = HTTPFlags{Listen: taken.Addr().String(), Token: false}.Open(slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "choose another port") {
		t.Error(err)
	}
}
