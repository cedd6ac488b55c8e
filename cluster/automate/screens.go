package automate

import (
	"context"
	"errors"
	"sync"

	"webmcphub/automation/screencast"
	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// MaxScreens is how many tabs a node shows at once to all gateways together, because each costs its browser some work.
const MaxScreens = 8

// Screen is a tab that a person watches. It has the methods of [screencast.Screen].
type Screen interface {
	Next(ctx context.Context) (screencast.View, error)
	TakeOver(over func()) bool
	GiveBack()
	Drive(ctx context.Context, events []byte) error
	Close()
}

// ScreenHost has the methods of a node that [Screens] needs.
type ScreenHost interface {
	Current() *registry.Catalog
	Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog
	InLife(browser, life string) bool
}

// OpenScreen opens the Screen of a tab. own, which may be nil, is a page that the Screen never shows.
type OpenScreen func(ctx context.Context, tab *registry.Tab, own *api.OwnPage, held screencast.Held) (Screen, error)

// Screens holds the tabs that a node shows. Any goroutine may call its methods.
type Screens struct {
	host ScreenHost
	open OpenScreen

	mu      sync.Mutex
	all     map[key]*screen // nil for a screen that is being opened
	over    bool
	running sync.WaitGroup
}

// key identifies a screen by its gateway and the gateway's name for it.
type key struct{ gateway, screen string }

// screen is an open Screen of a gateway.
type screen struct {
	Screen
	of      *api.ShowRequest
	looking chan struct{} // holds a token while Look runs

	mu    sync.Mutex
	yours func() // is called when the person has the tab; nil while nobody takes it over
}

// NewScreens returns a Screens that shows nothing yet.
func NewScreens(h ScreenHost, open OpenScreen) *Screens {
	return &Screens{host: h, open: open, all: map[key]*screen{}}
}

// Reasons why nothing is shown.
var (
	errGone  = errors.New("the tab is closed, or its browser was started afresh")
	errEnded = errors.New("the picture has ended")
	errMany  = errors.New("the node shows too many tabs already; close some of the pages that show them")
)

// tab returns the tab that w asks for, or nil if the catalog doesn't have it or its browser is in another life.
func (s *Screens) tab(w *api.ShowRequest, in *registry.Catalog) *registry.Tab {
	t := in.Tab(registry.PageID(w.Page))
	if t == nil || t.Browser != w.GetBrowser().GetBrowser() || !s.host.InLife(t.Browser, w.GetBrowser().GetLife()) {
		return nil
	}
	return t
}

// Watch implements [node.Watcher].
func (s *Screens) Watch(ctx context.Context, gateway string, w *api.ShowRequest, begun func()) error {
	is := key{gateway, w.Screen}
	if err := s.admit(is); err != nil {
		return err
	}
	defer s.dismiss(is)
	tab := s.tab(w, s.host.Current())
	if tab == nil {
		return errGone
	}
	one := &screen{of: w, looking: make(chan struct{}, 1)}
	var err error
	if one.Screen, err = s.open(ctx, tab, w.Own, one.held); err != nil {
		return err
	}
	defer one.Close()
	s.mu.Lock()
	s.all[is] = one
	s.mu.Unlock()
	begun()
	if s.host.Await(ctx, func(c *registry.Catalog) bool { return s.tab(w, c) == nil }) == nil {
		return context.Cause(ctx)
	}
	return errGone
}

// admit reserves a place for a screen until dismiss is called.
func (s *Screens) admit(is key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, there := s.all[is]; {
	case s.over || there:
		return errEnded
	case len(s.all) >= MaxScreens:
		return errMany
	}
	s.all[is] = nil
	s.running.Add(1)
	return nil
}

func (s *Screens) dismiss(is key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, is)
	s.running.Done()
}

// one returns an open screen, if its tab may still be seen.
func (s *Screens) one(gateway, name string) (*screen, error) {
	s.mu.Lock()
	one := s.all[key{gateway, name}]
	s.mu.Unlock()
	switch {
	case one == nil:
		return nil, errEnded
	case s.tab(one.of, s.host.Current()) == nil:
		return nil, errGone
	}
	return one, nil
}

// Look implements [node.Watcher].
func (s *Screens) Look(ctx context.Context, gateway string, of *api.ScreenRef) (none *api.ScreenView, _ error) {
	one, err := s.one(gateway, of.Screen)
	if err != nil {
		return none, err
	}
	select {
	case one.looking <- struct{}{}:
		defer func() { <-one.looking }()
	default:
		return none, errors.New("the gateway is waiting for a picture of this tab already")
	}
	v, err := one.Next(ctx)
	if err != nil {
		return none, err
	}
	if _, err := s.one(gateway, of.Screen); err != nil { // the tab may have gone meanwhile
		return none, err
	}
	if len(v.Picture) > MaxPicture {
		v.Picture = ""
	}
	return &api.ScreenView{Picture: v.Picture, Hidden: v.Hidden, Note: v.Note, State: string(v.State), Document: v.Document},
		nil
}

// TakeOver implements [node.Watcher].
func (s *Screens) TakeOver(ctx context.Context, gateway string, of *api.ScreenRef, yours func()) error {
	one, err := s.one(gateway, of.Screen)
	if err != nil {
		return err
	}
	over := make(chan struct{})
	one.mu.Lock()
	free := one.yours == nil
	if free {
		one.yours = yours
	}
	one.mu.Unlock()
	if !free {
		return errors.New("the tab has been taken over already")
	}
	defer func() {
		one.mu.Lock()
		defer one.mu.Unlock()
		one.yours = nil
	}()
	if ctx.Err() != nil || !one.Screen.TakeOver(func() { close(over) }) {
		return errEnded
	}
	select {
	case <-over:
	case <-ctx.Done():
		one.GiveBack()
		<-over
	}
	return nil
}

// held is a [screencast.Held]. It calls yours.
func (o *screen) held(func()) (over func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.yours != nil {
		o.yours()
	}
	return func() {}
}

// Drive implements [node.Watcher].
func (s *Screens) Drive(ctx context.Context, gateway string, d *api.DriveRequest) error {
	one, err := s.one(gateway, d.Screen)
	if err != nil {
		return err
	}
	return one.Screen.Drive(ctx, d.Events)
}

// End lets nobody open another screen, and waits for the open ones to close. Their contexts must have ended.
func (s *Screens) End() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.running.Wait()
}
