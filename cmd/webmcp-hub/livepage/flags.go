package livepage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/alecthomas/kong"

	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/internal/mask"
	"webmcphub/live"
	"webmcphub/mcpserver/calls"
	"webmcphub/registry/names"
	"webmcphub/trust"
)

// UIFlags say whether and where the live page is served.
type UIFlags struct {
	UI Address `name:"ui" placeholder:"ADDR" help:"Serve the live page to you, on this computer: which agent does what with which tab, and what waits for your answer. --ui uses a free port; --ui=127.0.0.1:8809 or --ui=8809 sets it. The log has a link that lets one browser in, once; \"webmcp-hub ui\" opens the page. Agents can't see it."`
}

// Address says where the live page is served; "" means nowhere. Its flag needs no value.
type Address string

// AnyPort is the Address of a flag without a value.
const AnyPort Address = "127.0.0.1:0"

// IsBool lets the flag stand without a value.
func (Address) IsBool() bool { return true }

// Decode reads the flag's value from the command line, the environment or the settings.
func (a *Address) Decode(ctx *kong.DecodeContext) error {
	*a = AnyPort
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	switch text := fmt.Sprint(ctx.Scan.Pop().Value); text {
	case "true":
	case "false", "":
		*a = ""
	default:
		at, err := parse(text)
		if err != nil {
			return err
		}
		*a = at
	}
	return nil
}

// parse reads an address: a host, a port, or both.
func parse(text string) (Address, error) {
	host, port := text, "0"
	if _, err := strconv.ParseUint(text, 10, 16); err == nil {
		host, port = "127.0.0.1", text
	} else if h, p, err := net.SplitHostPort(text); err == nil {
		host, port = h, p
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil || host == "" {
		return "", fmt.Errorf("--ui must be an address of this computer, with a port or without, such as "+
			"127.0.0.1:8809, not %q", text)
	}
	return Address(net.JoinHostPort(host, port)), nil
}

// Site is where live pages are served, as the flag asks for; nil is nowhere.
type Site struct {
	*live.Pages
	// About is the address of the one page that the hub is for; "" means all pages. Set it before Beside.
	About string
	port  string
	hosts []string
	log   *slog.Logger
}

// Open listens. It returns nil if the flags ask for no live page.
func (f UIFlags) Open(log *slog.Logger) (*Site, error) {
	if f.UI == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", string(f.UI))
	if err != nil {
		return nil, fmt.Errorf("--ui %s: %w; choose another port, or none for a free one", f.UI, err)
	}
	at, _ := listener.Addr().(*net.TCPAddr)
	s := &Site{port: strconv.Itoa(at.Port), log: log}
	if !at.IP.IsLoopback() {
		s.hosts = hostsOf(f.UI)
		log.Warn("the live page is served beyond this computer, and not encrypted: whoever reads the network can use "+
			"your browser", "address", listener.Addr())
	}
	s.Pages = live.NewPages(live.Options{Listener: listener, Hosts: s.hosts, Logger: log})
	return s, nil
}

// hostsOf returns the names by which other computers reach a page that is served at this address.
func hostsOf(at Address) (hosts []string) {
	host, _, _ := net.SplitHostPort(string(at))
	hosts = append(hosts, host)
	all, err := net.InterfaceAddrs()
	if err != nil {
		return hosts
	}
	for _, a := range all {
		if n, is := a.(*net.IPNet); is {
			hosts = append(hosts, n.IP.String())
		}
	}
	return hosts
}

// KeptOut returns o with rules that also keep agents from the live page.
func (s *Site) KeptOut(o *names.Origins) *names.Origins {
	if s == nil {
		return o
	}
	return o.WithOwn(names.NewOwn(s.port, s.hosts...))
}

// Oversee makes a live page watch calls, ask its user, and refuse what is paused.
func Oversee(page *live.Server, o *calls.Oversight, t *trust.Options) {
	o.Watch, o.Person, t.Paused = page.Watch, page.Person, Pausing{&page.Pauses}
}

// Pausing is a [trust.Decider] that refuses what is paused.
type Pausing struct{ *live.Pauses }

// Decide implements [trust.Decider].
func (p Pausing) Decide(d calls.Action) (trust.Verdict, string) {
	if why := p.Paused(d); why != "" {
		return trust.Refuse, why
	}
	return trust.Allow, ""
}

// Close closes a site that was never served; s may be nil.
func (s *Site) Close() {
	if s != nil {
		s.Pages.Close()
	}
}

// Beside serves the pages until the returned function is called; that function waits for the end. s may be nil.
func (s *Site) Beside(ctx context.Context) (stop func()) {
	if s == nil {
		return func() {}
	}
	forget := s.tell()
	s.log.Info("the live page is served; this link lets one browser in", "url", mask.Shown(s.Link()))
	unserve := process.Beside(ctx, func(ctx context.Context) {
		if err := s.Serve(ctx); err != nil && !errors.Is(err, net.ErrClosed) {
			s.log.Error("the live page is no longer served", "err", err)
		}
	})
	return func() {
		forget()
		unserve()
	}
}
