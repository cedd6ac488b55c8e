package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"webmcphub/actors"

	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/internal/metrics"
	"webmcphub/mcpserver"
	client "webmcphub/mcpserver/view"
	"webmcphub/registry"

	"webmcphub/mcpserver/share"
)

// ownHub is the hub of this process. It has a hub from the time that this process becomes the owner of one; see
// start.
type ownHub struct {
	*mcpserver.Server
	serve  *serveCmd
	log    *slog.Logger
	failed context.CancelCauseFunc // called when the hub can't go on
	ended  func() bool             // reports whether the user has ended the process by a signal

	unlisted atomic.Bool          // page tools are not listed for this process's client
	changes  chan json.RawMessage // new views of this process's client, for an owner in another process
	handoff  *Handoff             // what the process that takes over needs to know

	hub    atomic.Pointer[ownActors] // nil until the hub has started
	over   chan struct{}             // closed when the hub ends
	stops  []func()                  // end what runs beside the hub, in this order
	chrome *OwnedChrome

	terms       string            // see serveCmd.terms
	web         process.HTTPFlags // how MCP is served over HTTP: as this process's flags say, or as the previous owner did
	place       client.Place      // the place of this process's client while the process was a guest
	closeExtras func()
}

// ownActors holds the hub's actors and its MCP server.
type ownActors struct {
	*actors.Hub
	server *mcpserver.Server
}

func newOwnHub(s *serveCmd, failed context.CancelCauseFunc, ended func() bool, log *slog.Logger) *ownHub {
	o := &ownHub{serve: s, log: log, failed: failed, ended: ended, changes: make(chan json.RawMessage, 1)}
	o.unlisted.Store(s.DisableWebmcpAutoRegister)
	return o
}

// start starts the hub. If the hub is to be served over HTTP, start serves it on overHTTP, or on a port that it opens
// itself if overHTTP is nil.
func (o *ownHub) start(ctx context.Context, overHTTP *process.HTTPListener, owner share.Owner) (share.Hub, error) {
	s := o.serve
	o.place = readPlace(owner.Place)
	o.handoff = &Handoff{Changed: owner.StateChanged}
	o.chrome = &OwnedChrome{Changed: owner.StateChanged, Shared: s.Share && !s.Isolated}
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
	x.pauses = x.ui.Pauses()
	o.handoff.Pauses(x.pauses, owner.Previous)
	o.web = o.overHTTP(owner)
	figures := o.figures(&x)
	extensions, err := s.extensionFlags.open(o.log)
	if err != nil && !s.reaches() {
		o.chrome.Close()
		x.close()
		return nil, err // without the extension there is no way to a browser
	}
	if err != nil { // for example, the token can't be read
		o.log.Error("browsers can't come by their extension", "err", err)
	}
	flags := s.hubFlags
	flags.DisableWebmcpAutoRegister = o.unlisted.Load()
	takenOver := o.chrome.TakenOver() // read it now: the hub may dial as soon as it has started
	server, hub, err := startHub(s.chromeFlags, flags, s.onRequest(), extensions != nil, x, o.log)
	if err != nil {
		extensions.close()
		o.chrome.Close()
		x.close()
		return nil, err
	}
	server.HoldTabs(KeptTabs(owner.Previous))
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

// portRetry is how long a hub waits before it tries again to open a port that another program has. That may be the
// previous owner, which is still ending.
const portRetry = time.Second

// servedHTTP is how a hub serves MCP over HTTP, in its [handoffState].
type servedHTTP struct {
	process.HTTPFlags
	Terms string `json:"terms"` // see serveCmd.terms
}

// servesHTTP notes in o.handoff how the hub serves MCP over HTTP.
func (o *ownHub) servesHTTP(flags process.HTTPFlags) {
	if raw, err := json.Marshal(servedHTTP{flags, o.terms}); err == nil {
		o.handoff.Serves(raw)
	}
}

// overHTTP returns how to serve the hub over HTTP: as the flags say, or if they say nothing, as the previous owner
// did, whose clients know the address. They must not be able to do what they could not before.
func (o *ownHub) overHTTP(owner share.Owner) process.HTTPFlags {
	flags := o.serve.Web
	before := ServedOverHTTP(owner.Previous)
	if flags.Listen != "" || before == nil {
		return flags
	}
	var previous servedHTTP
	err := json.Unmarshal(before, &previous)
	if previous.Stdio = flags.Stdio; err == nil {
		err = previous.Check()
	}
	if err == nil && previous.Terms != o.terms {
		err = errors.New("its rules or --automation are not those of this process")
	}
	if err != nil {
		o.log.Warn("MCP is not served over HTTP as the hub before did", "err", err)
		return flags
	}
	o.log.Info("the hub before served MCP over HTTP, so this one does too", "address", previous.Listen)
	return previous.HTTPFlags
}

// serveHTTP serves the hub over HTTP until ctx ends. If the port can't be opened, serveHTTP logs that, and a client
// over stdio is served all the same. serveHTTP tries again while another program has the port.
func (o *ownHub) serveHTTP(ctx context.Context, open *process.HTTPListener, server *mcpserver.Server,
	figures *metrics.Metrics) {
	if o.web.Listen == "" {
		return
	}
	for logged := false; open == nil; {
		var err error
		if open, err = o.web.Open(o.log); err == nil {
			break
		}
		if !logged {
			o.log.Error("MCP is not served over HTTP", "err", err)
		}
		if logged = true; !errors.Is(err, syscall.EADDRINUSE) {
			return
		}
		select {
		case <-time.After(portRetry):
		case <-ctx.Done():
			return
		}
	}
	if resolved, err := o.web.Resolved(open); err == nil {
		o.servesHTTP(resolved)
	}
	figures.Watch(server)
	open.Options.Watch = figures.Handler()
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

// figures returns the hub's metrics, or nil if nobody can read them, which is over HTTP.
func (o *ownHub) figures(x *extras) *metrics.Metrics {
	s := o.serve
	if o.web.Listen == "" {
		return nil
	}
	m := metrics.New(metrics.Options{
		Version: version, MaxPages: s.MaxPages, MaxClients: mcpserver.DefaultMaxSessions,
		OnNeed: s.onRequest() || s.onNeed(),
	})
	x.called, x.publishers = append(x.called, m.Called), append(x.publishers, m)
	return m
}

// inherit prepares the hub to continue where the previous owner ended. It takes over that owner's Chrome, or returns
// the pages to open again.
func (o *ownHub) inherit(ctx context.Context, owner share.Owner, x *extras) (reopen []string, err error) {
	if !o.serve.launches() {
		owner.Files.Close()
		o.handoff.Restore(owner.Previous, false)
		return nil, nil
	}
	profile, err := o.serve.profile()
	if err != nil {
		owner.Files.Close()
		return nil, err
	}
	if o.chrome.TakeOver(ctx, owner.Files, profile, HoldProfile, o.log) {
		x.before = TabsBefore(owner.Previous)
	} else {
		reopen = TabsToReopen(owner.Previous)
		o.chrome.Opens(reopen[:min(1, len(reopen))]) // Chrome opens at least one page at its start
	}
	o.handoff.Restore(owner.Previous, o.chrome.TakenOver())
	x.publishers, x.chrome = append(x.publishers, o.handoff), o.chrome
	return reopen, nil
}

// connectTime is how long a hub that takes over waits for the browser to announce its tabs, before it lets clients
// continue that were connected to the browser.
const connectTime = 5 * time.Second

func (o *ownHub) connect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	if _, err := o.hub.Load().Hub.Connect(ctx, false); err != nil {
		o.log.Warn("the browser that clients were connected to doesn't say what it has open", "err", err)
	}
}

// Files returns the files with which another process can take over Chrome.
func (o *ownHub) Files() share.Files { return o.chrome.Files() }

// Stop ends the hub. Unless another process holds its Files, Stop waits for Chrome to go.
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

// autoRegister switches the listing of page tools on or off for this process's client, and for clients over HTTP if
// this process's hub serves any.
func (o *ownHub) autoRegister(on bool) {
	o.unlisted.Store(!on)
	o.log.Info("the listing of page tools was switched", "on", on)
	if hub := o.hub.Load(); hub != nil {
		hub.server.SetPageToolsListed(on)
		return
	}
	select {
	case <-o.changes: // replaces a view that the owner hasn't read yet
	default:
	}
	select {
	case o.changes <- o.viewJSON():
	default:
	}
}

// view returns how this process's client sees the hub.
func (f hubFlags) view() client.Settings {
	return client.Settings{
		Mode:        client.Mode(f.Mode),
		CallTimeout: f.CallTimeout,
		MaxName:     f.MaxToolName,
		ListPage:    f.ListPageSize,
		FollowUser:  f.FollowUserFocus,
		Unlisted:    f.DisableWebmcpAutoRegister,
		Automation:  string(f.Automation),
		MaxResult:   f.MaxResultTokens,

		Surface:       client.Surface(f.Surface),
		SurfaceTokens: f.SurfaceTokens,
	}
}

// viewJSON returns the view of this process's client for an owner in another process.
func (o *ownHub) viewJSON() json.RawMessage {
	v := o.serve.view()
	v.Unlisted = o.unlisted.Load()
	raw, err := json.Marshal(v)
	if err != nil { // a View can always be encoded
		panic(err)
	}
	return raw
}

// readView reads the view of another process's client. Members that raw lacks are those of this process's
// client, as for a command that visits the hub: a guest names all of them.
func (o *ownHub) readView(raw json.RawMessage) (client.Settings, error) {
	v := o.serve.view()
	v.Unlisted = o.unlisted.Load()
	if raw == nil {
		return v, nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("its view can't be read: %w", err)
	}
	if v.Automation != "" {
		on, err := process.ParseCategories(strings.Split(v.Automation, ","))
		if err != nil {
			return v, err
		}
		v.Automation = string(on)
	}
	return v, v.Validate()
}

func (o *ownHub) checkView(raw json.RawMessage) error {
	_, err := o.readView(raw)
	return err
}

// ServeGuest serves the client of another process, as that client's own view says.
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

// serveFrom serves a client, and notes in o.handoff which tab that client keeps to itself. A client on stdio can come
// back to the hub that takes over, so its note stays when the hub ends.
func (o *ownHub) serveFrom(ctx context.Context, g client.Guest, in io.Reader, out io.Writer) error {
	id, tell := new(int), g.Moved
	defer func() {
		if ctx.Err() == nil { // otherwise the hub is ending, and the client comes back to the next one
			o.handoff.Keeps(id, "")
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
		o.handoff.Keeps(id, kept)
		if tell != nil {
			tell(at)
		}
	}
	return o.Server.ServeGuest(ctx, g, in, out)
}

// ServeStdio serves this process's own client, from the place that the client had while the process was a guest.
func (o *ownHub) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	if o.place.Connected {
		o.connect(ctx)
	}
	return o.serveFrom(ctx, client.Guest{Place: o.place}, in, out)
}

// readPlace returns the zero Place if raw is nil or can't be read.
func readPlace(raw json.RawMessage) (at client.Place) {
	if raw != nil && json.Unmarshal(raw, &at) != nil {
		return client.Place{}
	}
	return at
}

// State returns what the process that takes over needs to know. If the hub serves HTTP only and its user has ended it,
// State leaves the port to nobody, since the user may start the hub again.
func (o *ownHub) State() json.RawMessage {
	if !o.serve.Web.Stdio && o.ended() {
		o.handoff.Serves(nil)
	}
	return o.handoff.State()
}
