// Package uicmd has the hub's live page on the command line: the flag --ui, what it puts
// together, and the command that opens the page of a hub that runs.
package uicmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/alecthomas/kong"

	"webmcphub/actors"
	"webmcphub/live"
	"webmcphub/registry/mcpserver"
	"webmcphub/registry/names"
	"webmcphub/trust"
)

// UIFlags say whether the live page is served, and where.
type UIFlags struct {
	UI Address `name:"ui" group:"common" placeholder:"ADDR" help:"Serve the hub's live page to you, on this computer: which agent does what with which tab, and what waits for your answer. --ui takes a free port, --ui=127.0.0.1:8809 or --ui=8809 this one. The log has a link that lets one browser in, once; \"webmcp-hub ui\" opens the page. Agents can't see it."`
}

// Address is where the page is served: "" is nowhere. It is a flag that may stand alone.
type Address string

// AnyPort is where the page is served if nothing else is said.
const AnyPort Address = "127.0.0.1:0"

// IsBool lets the flag stand alone.
func (Address) IsBool() bool { return true }

// Decode reads the flag's value, from wherever it comes.
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
		return "", fmt.Errorf("--ui must be an address of this computer, with a port or without, such as 127.0.0.1:8809, not %q", text)
	}
	return Address(net.JoinHostPort(host, port)), nil
}

// UI is the live page of a hub; nil is none.
type UI struct {
	*live.Server
	// About is the address of the one page that the hub is for; "" is all pages.
	About string
	port  string
	hosts []string
	log   *slog.Logger

	// Set before it is served.
	lender lender                     // may be nil
	called func(mcpserver.CallRecord) // writes down what its user did; may be nil
}

// Open listens; it gives nil where there is to be no page.
func (f UIFlags) Open(log *slog.Logger) (*UI, error) {
	if f.UI == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", string(f.UI))
	if err != nil {
		return nil, fmt.Errorf("--ui %s: %w; choose another port, or none for a free one", f.UI, err)
	}
	at, _ := listener.Addr().(*net.TCPAddr)
	u := &UI{port: strconv.Itoa(at.Port), log: log}
	if !at.IP.IsLoopback() {
		u.hosts = hostsOf(f.UI)
		log.Warn("the live page is served beyond this computer, and not encrypted: whoever reads the network can use your browser", "address", listener.Addr())
	}
	u.Server = live.New(live.Options{Listener: listener, Hosts: u.hosts, Logger: log})
	return u, nil
}

// hostsOf are the names by which a page that is served beyond this computer is reached.
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

// KeptOut are rules for sites that keep agents from the page besides.
func (u *UI) KeptOut(o *names.Origins) *names.Origins {
	if u == nil {
		return o
	}
	return o.WithOwn(names.NewOwn(u.port, u.hosts...))
}

// Oversee has the page watch calls and ask its user, and refuse what is paused.
func (u *UI) Oversee(o *mcpserver.Oversight, t *trust.Options) {
	if u != nil {
		o.Watch, o.Person, t.Paused = u.Watch, u.Person, pausing{u.Server}
	}
}

// pausing refuses what is paused; it is a [trust.Decider].
type pausing struct{ *live.Server }

func (p pausing) Decide(d mcpserver.Deed) (trust.Verdict, string) {
	if why := p.Paused(d); why != "" {
		return trust.Refuse, why
	}
	return trust.Allow, ""
}

// Called says who is told of what the page's user does in a tab; nil is nobody.
func (u *UI) Called(called func(mcpserver.CallRecord)) {
	if u != nil {
		u.called = called
	}
}

// Close is for a page that was not served; u may be nil.
func (u *UI) Close() {
	if u != nil {
		u.Server.Close()
	}
}

// Beside serves the page of a hub until the returned function is called, which waits for
// the end. u may be nil.
func (u *UI) Beside(ctx context.Context, hub *actors.Hub, server *mcpserver.Server, version string) (stop func()) {
	if u == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	p := newPerson(ctx, server, version)
	forget := u.tell()
	u.log.Info("the live page is served; this link lets one browser in", "url", u.Link())
	served := make(chan struct{})
	go func() {
		defer close(served)
		if err := u.Serve(ctx, operated{u, hub, server, p}); err != nil && !errors.Is(err, net.ErrClosed) {
			u.log.Error("the live page is no longer served", "err", err)
		}
	}()
	return func() {
		forget()
		cancel()
		<-served
		p.end()
	}
}
