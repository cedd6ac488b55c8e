package automate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"webmcphub/automation/screencast"

	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// screenNode is a fakeNode with the pages "a1" and "b1"; closed ends a1.
type screenNode struct {
	*fakeNode
	closed chan struct{}
}

func newScreenNode() *screenNode { return &screenNode{newFakeNode("a1", "b1"), make(chan struct{})} }

func (n *screenNode) closes() {
	n.step(registry.PageClosed{Page: "a1"})
	close(n.closed)
}

func (n *screenNode) begins(browser, life string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lives[browser] = life
}

func (n *screenNode) Await(ctx context.Context, satisfied func(*registry.Catalog) bool) *registry.Catalog {
	if c := n.Current(); satisfied(c) {
		return c
	}
	select {
	case <-n.closed:
		return n.Current()
	case <-ctx.Done():
		return nil
	}
}

// fakeScreen gives what a test puts into views.
type fakeScreen struct {
	held  screencast.Held
	views chan screencast.View
	drove chan string

	mu     sync.Mutex
	over   func()
	closed bool
}

func (f *fakeScreen) Next(ctx context.Context) (screencast.View, error) {
	select {
	case v := <-f.views:
		return v, nil
	case <-ctx.Done():
		return screencast.View{}, context.Cause(ctx)
	}
}

func (f *fakeScreen) TakeOver(over func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = over
	f.held(f.GiveBack)
	return true
}

func (f *fakeScreen) GiveBack() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over != nil {
		f.over()
	}
	f.over = nil
}

func (f *fakeScreen) Drive(_ context.Context, events []byte) error {
	f.drove <- string(events)
	return nil
}

func (f *fakeScreen) Close() {
	f.GiveBack()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// stage are screens of a fake node, and the fake screen that is opened last.
type stage struct {
	*Screens
	node   *screenNode
	screen *fakeScreen
	own    *api.OwnPage // what it doesn't show
}

func newStage() *stage {
	s := &stage{node: newScreenNode()}
	s.Screens = NewScreens(s.node, func(_ context.Context, _ *registry.Tab, own *api.OwnPage, held screencast.Held) (Screen, error) {
		s.own = own
		s.screen = &fakeScreen{held: held, views: make(chan screencast.View, 1), drove: make(chan string, 1)}
		return s.screen, nil
	})
	return s
}

// of is a screen of a1 by its name.
func of(name string) *api.ShowRequest {
	return &api.ShowRequest{Screen: name, Page: "a1", Browser: &api.VisibleBrowser{Browser: "a", Life: "a.1"}}
}

// watch begins to watch, and gives what it comes to.
func (s *stage) watch(t *testing.T, w *api.ShowRequest) (end context.CancelFunc, ended chan error) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Watch(ctx, "front", w, func() { close(begun) }) }()
	select {
	case <-begun:
	case err := <-ended:
		t.Fatalf("it ended at once: %v", err)
	}
	return end, ended
}

// TestShows: a screen is its gateway's alone, shows what is new, is driven, and is closed when nobody looks any more.
func TestShows(t *testing.T) {
	s := newStage()
	w := of("s")
	w.Own = &api.OwnPage{Port: "8809", Hosts: []string{"10.0.0.2"}}
	end, ended := s.watch(t, w)
	if s.own != w.Own {
		t.Errorf("%+v is kept out, not %+v", s.own, w.Own)
	}
	look := &api.ScreenRef{Screen: "s"}
	s.screen.views <- screencast.View{Picture: "p", State: screencast.Looking, Document: "d"}
	if v, err := s.Look(t.Context(), "front", look); err != nil || !proto.Equal(v, &api.ScreenView{Picture: "p", State: "looking", Document: "d"}) {
		t.Errorf("it shows %+v, %v", v, err)
	}
	s.screen.views <- screencast.View{Picture: strings.Repeat("p", MaxPicture+1)}
	if v, err := s.Look(t.Context(), "front", look); err != nil || v.Picture != "" {
		t.Errorf("a picture of %d bytes is sent, %v", len(v.Picture), err)
	}
	if _, err := s.Look(t.Context(), "other", look); !errors.Is(err, errEnded) {
		t.Errorf("another gateway sees it: %v", err)
	}
	if err := s.Drive(t.Context(), "other", &api.DriveRequest{Screen: "s"}); !errors.Is(err, errEnded) {
		t.Errorf("another gateway drives it: %v", err)
	}
	if err := s.Drive(t.Context(), "front", &api.DriveRequest{Screen: "s", Events: []byte("[]")}); err != nil || <-s.screen.drove != "[]" {
		t.Errorf("it isn't driven: %v", err)
	}
	end()
	if err := <-ended; !errors.Is(err, context.Canceled) || !s.screen.closed {
		t.Errorf("it ended with %v, closed: %t", err, s.screen.closed)
	}
	s.End()
	if err := s.Watch(t.Context(), "front", of("t"), nil); !errors.Is(err, errEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// TestOthersPages: no page is shown but of the browser, and in the life, that the gateway may see.
func TestOthersPages(t *testing.T) {
	s := newStage()
	for _, w := range []*api.ShowRequest{
		{Screen: "s", Page: "b1", Browser: &api.VisibleBrowser{Browser: "a", Life: "a.1"}},
		{Screen: "s", Page: "a1", Browser: &api.VisibleBrowser{Browser: "a", Life: "a.0"}},
		{Screen: "s", Page: "none", Browser: &api.VisibleBrowser{Browser: "a"}},
	} {
		if err := s.Watch(t.Context(), "front", w, nil); !errors.Is(err, errGone) || s.screen != nil {
			t.Errorf("%+v is shown: %v", w, err)
		}
	}
}

// TestNextLife: what a browser shows in its next life isn't shown or operated, even if it was drawn before that was known.
func TestShowingNextLife(t *testing.T) {
	s := newStage()
	end, ended := s.watch(t, of("s"))
	s.node.begins("a", "a.2")
	s.screen.views <- screencast.View{Picture: "of another tenant"}
	if v, err := s.Look(t.Context(), "front", &api.ScreenRef{Screen: "s"}); !errors.Is(err, errGone) {
		t.Errorf("it shows %+v, %v", v, err)
	}
	if err := s.Drive(t.Context(), "front", &api.DriveRequest{Screen: "s"}); !errors.Is(err, errGone) {
		t.Errorf("it is driven: %v", err)
	}
	s.node.closes()
	if err := <-ended; !errors.Is(err, errGone) {
		t.Errorf("it ended with %v", err)
	}
	end()
}

// TestTakenOver: a tab is a person's until the request is cancelled; nobody else has it meanwhile.
func TestTakenOver(t *testing.T) {
	s := newStage()
	end, ended := s.watch(t, of("s"))
	look := &api.ScreenRef{Screen: "s"}
	ctx, give := context.WithCancel(t.Context())
	yours, over := make(chan struct{}), make(chan error, 1)
	go func() { over <- s.TakeOver(ctx, "front", look, func() { close(yours) }) }()
	<-yours
	if err := s.TakeOver(t.Context(), "front", look, nil); err == nil {
		t.Error("it was taken over twice")
	}
	give()
	if err := <-over; err != nil {
		t.Errorf("giving it back: %v", err)
	}
	again := make(chan struct{})
	go func() { over <- s.TakeOver(t.Context(), "front", look, func() { close(again) }) }()
	<-again
	end() // and with the picture
	<-over
	<-ended
}

// TestManyScreens: so many are shown at once, and no more.
func TestManyScreens(t *testing.T) {
	s := newStage()
	var ends []func()
	for i := range MaxScreens {
		end, ended := s.watch(t, of(fmt.Sprint(i)))
		ends = append(ends, func() { end(); <-ended })
	}
	if err := s.Watch(t.Context(), "front", of("more"), nil); !errors.Is(err, errMany) {
		t.Errorf("one more: %v", err)
	}
	for _, end := range ends {
		end()
	}
	end, ended := s.watch(t, of("more"))
	end()
	<-ended
}

// TestOneName: a screen whose name another one has, that is still being opened, isn't opened.
func TestOneName(t *testing.T) {
	var s *Screens
	no := errors.New("no picture")
	s = NewScreens(newScreenNode(), func(ctx context.Context, _ *registry.Tab, _ *api.OwnPage, _ screencast.Held) (Screen, error) {
		if err := s.Watch(ctx, "front", of("1"), nil); !errors.Is(err, errEnded) {
			t.Errorf("the second one: %v", err)
		}
		if _, err := s.Look(ctx, "front", &api.ScreenRef{Screen: "1"}); !errors.Is(err, errEnded) {
			t.Errorf("looked at before it is open: %v", err)
		}
		return nil, no
	})
	for range 2 * MaxScreens { // those that couldn't be opened don't count
		if err := s.Watch(t.Context(), "front", of("1"), nil); !errors.Is(err, no) {
			t.Fatal(err)
		}
	}
}
