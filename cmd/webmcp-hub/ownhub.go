package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"syscall"
	"time"

	"webmcphub/actors"

	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/internal/metrics"
	"webmcphub/mcpserver"
	client "webmcphub/mcpserver/view"
	"webmcphub/registry"

	"webmcphub/mcpserver/mcphttp"
	"webmcphub/mcpserver/share"
)

// ownHub is the hub of this process, once it has come to own one.
type ownHub struct {
	*mcpserver.Server
	serve  *serveCmd
	log    *slog.Logger
	failed context.CancelCauseFunc // called when the hub can't go on
	ended  func() bool             // says whether the user has ended the process, by a signal

	unlisted atomic.Bool          // this process's client has page tools not listed
	changes  chan json.RawMessage // of its view, for an owner that is another process
	will     *Handover            // what the process that takes over needs to know

	hub    atomic.Pointer[ownActors] // nil before
	over   chan struct{}             // closed at its end
	stops  []func()                  // of what is at work beside the hub, in the order of its end
	chrome *OwnedChrome

	web         process.HTTPFlags // how MCP is served over HTTP: by this process's flags, or as the hub before did
	place       client.Place      // where this process's client stood as a guest
	closeExtras func()
}

// ownActors are the hub's actors and its MCP server.
type ownActors struct {
	*actors.Hub
	server *mcpserver.Server
}

func newOwnHub(s *serveCmd, failed context.CancelCauseFunc, ended func() bool, log *slog.Logger) *ownHub {
	o := &ownHub{serve: s, log: log, failed: failed, ended: ended, changes: make(chan json.RawMessage, 1)}
	o.unlisted.Store(s.DisableWebmcpAutoRegister)
	return o
}

// start starts the hub, and serves it over HTTP too if that is to be: by overHTTP, or if that is nil by a port that
// it opens itself.
func (o *ownHub) start(ctx context.Context, overHTTP *process.HTTPListener, owner share.Owner) (share.Hub, error) {
	s := o.serve
	o.place = readPlace(owner.Place)
	o.will = &Handover{Changed: owner.WillChanged}
	o.chrome = &OwnedChrome{Changed: owner.WillChanged, Shared: s.Share && !s.Isolated}
	x, err := s.extras(o.log)
	if err != nil {
		owner.Files.Close()
		return nil, err
	}
	reopen, err := o.inherit(ctx, owner, &x)
	if err != nil {
		x.close()
		return nil, err
	}
	o.web = o.overHTTP(owner)
	figures := o.figures(&x)
	extensions, err := s.extensionFlags.open(o.log)
	if err != nil && !s.reaches() {
		o.chrome.Close()
		x.close()
		return nil, err // there is no other way to a browser
	}
	if err != nil { // such as a token that can't be read
		o.log.Error("browsers can't come by their extension", "err", err)
	}
	flags := s.hubFlags
	flags.DisableWebmcpAutoRegister = o.unlisted.Load()
	takenOver := o.chrome.TakenOver() // the hub may dial at once
	server, hub, err := startHub(s.chromeFlags, flags, s.onRequest(), extensions != nil, x, o.log)
	if err != nil {
		extensions.close()
		o.chrome.Close()
		x.close()
		return nil, err
	}
	server.HoldTabs(KeptTabs(owner.Inherited))
	figures.Watch(server)
	o.closeExtras = x.close
	if extensions != nil {
		extensions.can = s.mcpb()
	}
	stopExtensions := extensions.serveBeside(hub)
	o.Server, o.over = server, make(chan struct{})
	o.hub.Store(&ownActors{hub, server})
	stopReopening := Reopen(ctx, hub, reopen, o.log)
	if takenOver {
		o.connect(ctx)
	}
	go o.watchFailure(hub)
	stopWeb := process.Beside(ctx, func(ctx context.Context) { o.serveHTTP(ctx, overHTTP, server, figures) })
	o.stops = []func(){x.ui.Beside(ctx, hub, server, version), stopWeb, stopExtensions, stopReopening}
	return o, nil
}

// portRetry is how long a hub waits before it tries again to open a port that another program has, such as the hub
// before that is ending.
const portRetry = time.Second

// overHTTP is how the hub is to be served over HTTP: as the flags say, or if they don't, as the hub before was, whose
// clients know its address.
func (o *ownHub) overHTTP(owner share.Owner) process.HTTPFlags {
	flags := o.serve.Web
	before := ServedOverHTTP(owner.Inherited)
	if flags.Listen != "" || before == nil {
		return flags
	}
	var inherited process.HTTPFlags
	err := json.Unmarshal(before, &inherited)
	if inherited.Stdio = flags.Stdio; err == nil {
		err = inherited.Check()
	}
	if err != nil {
		o.log.Warn("MCP is not served over HTTP as the hub before did", "err", err)
		return flags
	}
	o.log.Info("the hub before served MCP over HTTP, so this one does too", "address", inherited.Listen)
	return inherited
}

// serveHTTP serves the hub over HTTP until ctx ends. A client over stdio doesn't depend on that: where the port can't be
// opened, the log says so, and one that is taken is tried again.
func (o *ownHub) serveHTTP(ctx context.Context, open *process.HTTPListener, server *mcpserver.Server,
	figures *metrics.Metrics) {
	if o.web.Listen == "" {
		return
	}
	for said := false; open == nil; {
		var err error
		if open, err = o.web.Open(o.log); err == nil {
			break
		}
		if !said {
			o.log.Error("MCP is not served over HTTP", "err", err)
		}
		if said = true; !errors.Is(err, syscall.EADDRINUSE) {
			return
		}
		select {
		case <-time.After(portRetry):
		case <-ctx.Done():
			return
		}
	}
	if resolved, err := o.web.Resolved(open); err == nil {
		if raw, err := json.Marshal(resolved); err == nil {
			o.will.Serves(raw)
		}
	}
	open.Watch(figures.Handler())
	stop := open.ServeBeside(ctx, server, func(err error) {
		o.log.Error(err.Error())
		if !o.serve.Web.Stdio {
			o.failed(err)
		}
	})
	<-ctx.Done()
	stop()
}

// watchFailure ends the process if the hub can't go on.
func (o *ownHub) watchFailure(hub *actors.Hub) {
	select {
	case err := <-hub.Failed():
		o.failed(fmt.Errorf("%w: %w", actors.ErrStopped, err))
	case <-o.over:
	}
}

// figures are counted where they can be read: over HTTP. Else they stay what they are.
func (o *ownHub) figures(x *extras) *metrics.Metrics {
	s := o.serve
	m := metrics.New(metrics.Options{
		Version: version, MaxPages: s.MaxPages, MaxClients: mcphttp.DefaultMaxSessions,
		OnNeed: s.onRequest() || s.onNeed(),
	})
	if o.web.Listen != "" {
		x.called, x.publishers = append(x.called, m.Called), append(x.publishers, m)
	}
	return m
}

// inherit prepares to go on where the owner before ended: with its Chrome, or with
// the pages that are to be opened again.
func (o *ownHub) inherit(ctx context.Context, owner share.Owner, x *extras) (reopen []string, err error) {
	if !o.serve.launches() {
		owner.Files.Close()
		o.will.Inherits(owner.Inherited, false)
		return nil, nil
	}
	profile, err := o.serve.profile()
	if err != nil {
		owner.Files.Close()
		return nil, err
	}
	if o.chrome.TakeOver(ctx, owner.Files, profile, HoldProfile, o.log) {
		x.before = TabsBefore(owner.Inherited)
	} else {
		reopen = InheritedTabs(owner.Inherited)
		o.chrome.Opens(reopen[:min(1, len(reopen))]) // Chrome opens something anyway
	}
	o.will.Inherits(owner.Inherited, o.chrome.TakenOver())
	x.publishers, x.chrome = append(x.publishers, o.will), o.chrome
	return reopen, nil
}

// connectTime is how long a hub that takes over waits for the browser to have announced its tabs, before clients that
// were connected to it go on.
const connectTime = 5 * time.Second

func (o *ownHub) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if _, err := o.hub.Load().Hub.Connect(ctx, false); err != nil {
		o.log.Warn("the browser that clients were connected to doesn't say what it has open", "err", err)
	}
}

// Files are what other processes can go on with Chrome by.
func (o *ownHub) Files() share.Files { return o.chrome.Files() }

// Stop ends the hub and, unless another process holds its Files, waits for Chrome
// to go.
func (o *ownHub) Stop(held bool) {
	if held {
		o.chrome.Leave()
	}
	close(o.over)
	for _, stop := range o.stops {
		stop()
	}
	o.log.Info("stopping")
	grace, cancel := context.WithTimeout(context.Background(), stopGrace)
	defer cancel()
	if err := o.hub.Load().Stop(grace); err != nil {
		o.log.Warn(err.Error())
	}
	o.chrome.Close()
	o.closeExtras()
}

// autoRegister switches the listing of page tools for this process's client, and
// for those over HTTP if this process's hub serves any.
func (o *ownHub) autoRegister(on bool) {
	o.unlisted.Store(!on)
	o.log.Info("the listing of page tools was switched", "on", on)
	if hub := o.hub.Load(); hub != nil {
		hub.server.ListPageTools(on)
		return
	}
	select {
	case <-o.changes: // that one doesn't count any more
	default:
	}
	select {
	case o.changes <- o.viewJSON():
	default:
	}
}

// view is how this process's client sees the hub.
func (f hubFlags) view() mcpserver.View {
	return mcpserver.View{
		Mode:        mcpserver.Mode(f.Mode),
		CallTimeout: f.CallTimeout,
		MaxName:     f.MaxToolName,
		ListPage:    f.ListPageSize,
		FollowUser:  f.FollowUserFocus,
		Unlisted:    f.DisableWebmcpAutoRegister,
		MaxResult:   f.MaxResultTokens,

		Surface:       client.Surface(f.Surface),
		SurfaceTokens: f.SurfaceTokens,
	}
}

// viewJSON is that for an owner that is another process.
func (o *ownHub) viewJSON() json.RawMessage {
	v := o.serve.view()
	v.Unlisted = o.unlisted.Load()
	raw, err := json.Marshal(v)
	if err != nil { // it holds nothing that can't be encoded
		panic(err)
	}
	return raw
}

// readView reads the view of another process's client. What it doesn't say is
// as this process's client sees it.
func (o *ownHub) readView(raw json.RawMessage) (mcpserver.View, error) {
	v := o.serve.view()
	v.Unlisted = o.unlisted.Load()
	if raw == nil {
		return v, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("its view can't be read: %w", err)
	}
	return v, v.Validate()
}

func (o *ownHub) checkView(raw json.RawMessage) error {
	_, err := o.readView(raw)
	return err
}

// ServeGuest serves the client of another process by its own view.
func (o *ownHub) ServeGuest(ctx context.Context, g share.Guest, in io.Reader, out io.Writer) error {
	view, err := o.readView(g.View)
	if err != nil {
		return err
	}
	if view.FollowUser {
		o.hub.Load().WatchFront()
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	listed := make(chan bool)
	go func() {
		for {
			select {
			case raw := <-g.Changes:
				if v, err := o.readView(raw); err == nil {
					select {
					case listed <- !v.Unlisted:
					case <-ctx.Done():
						return
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	place := readPlace(g.Place)
	if place.Connected {
		o.connect(ctx)
	}
	return o.serveFrom(ctx, client.Guest{View: &view, Listed: listed, Place: place, Moved: func(at client.Place) {
		if raw, err := json.Marshal(at); err == nil {
			g.Moved(raw)
		}
	}}, in, out)
}

// serveFrom serves a client, and has the will say which tab it has to itself. The client may come back to the hub
// that takes over; those over HTTP can't.
func (o *ownHub) serveFrom(ctx context.Context, g client.Guest, in io.Reader, out io.Writer) error {
	id, tell := new(int), g.Moved
	defer func() {
		if ctx.Err() == nil { // else the hub ends, and the client comes back to the next one
			o.will.Keeps(id, "")
		}
	}()
	g.Moved = func(at client.Place) {
		if ctx.Err() != nil {
			return
		}
		kept := registry.PageID("")
		if at.Exclusive {
			kept = at.Page
		}
		o.will.Keeps(id, kept)
		if tell != nil {
			tell(at)
		}
	}
	return o.Server.ServeGuest(ctx, g, in, out)
}

// ServeStdio serves this process's own client, from where it stood as a guest.
func (o *ownHub) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if o.place.Connected {
		o.connect(ctx)
	}
	return o.serveFrom(ctx, client.Guest{Place: o.place}, in, out)
}

// readPlace is the zero place where there is none.
func readPlace(raw json.RawMessage) (at client.Place) {
	if raw != nil && json.Unmarshal(raw, &at) != nil {
		return client.Place{}
	}
	return at
}

// Will is what the process that takes this one's place needs to know. A hub that serves HTTP only, and that its user
// has ended, leaves its port to nobody: the user may start it again.
func (o *ownHub) Will() json.RawMessage {
	if !o.serve.Web.Stdio && o.ended() {
		o.will.Serves(nil)
	}
	return o.will.Will()
}
