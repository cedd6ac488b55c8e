package automate

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"webmcphub/automation/screencast"
	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// asked is a request that a test answers.
type asked struct {
	kind     string
	body     any
	progress func() // says that it has begun
	ctx      context.Context
	end      chan answer
}

type answer struct {
	shown *api.ScreenView
	err   error
}

// fakeNodes are one node, whose answers a test gives.
type screenNodes struct {
	asked  chan *asked
	unseen chan struct{} // closed when the room sees the page no longer
	refuse error
}

func newFakeNodes() *screenNodes {
	return &screenNodes{asked: make(chan *asked, 10), unseen: make(chan struct{})}
}

func (n *screenNodes) ShowRequest(page registry.PageID) (string, *api.ShowRequest, error) {
	return "one", &api.ShowRequest{Page: string(page)}, n.refuse
}

func (n *screenNodes) Screen(string) api.ScreenClient { return n }

func (n *screenNodes) ask(ctx context.Context, kind string, body any, progress func()) *asked {
	a := &asked{kind, body, progress, ctx, make(chan answer, 1)}
	n.asked <- a
	return a
}

func (a *asked) ends() (*api.ScreenView, error) {
	select {
	case is := <-a.end:
		return is.shown, is.err
	case <-a.ctx.Done():
		return nil, context.Cause(a.ctx)
	}
}

// lasting is a stream by which the node says that something has begun.
type lasting[R any] struct {
	grpc.ClientStream
	*asked
	begun chan struct{} // holds a token once it has
}

func last[R any](ctx context.Context, n *screenNodes, kind string, body any) (grpc.ServerStreamingClient[R], error) {
	begun := make(chan struct{}, 1)
	return lasting[R]{nil, n.ask(ctx, kind, body, func() { begun <- struct{}{} }), begun}, nil
}

func (l lasting[R]) Recv() (*R, error) {
	select {
	case <-l.begun:
		return new(R), nil
	default:
	}
	select {
	case <-l.begun:
		return new(R), nil
	case is := <-l.end:
		return nil, cmp.Or(is.err, io.EOF)
	case <-l.ctx.Done():
		return nil, context.Cause(l.ctx)
	}
}

func (n *screenNodes) Show(ctx context.Context, w *api.ShowRequest, _ ...grpc.CallOption) (grpc.ServerStreamingClient[api.ShowResponse], error) {
	return last[api.ShowResponse](ctx, n, "show", w)
}

func (n *screenNodes) Look(ctx context.Context, of *api.ScreenRef, _ ...grpc.CallOption) (*api.ScreenView, error) {
	return n.ask(ctx, "look", of, nil).ends()
}

func (n *screenNodes) TakeOver(ctx context.Context, of *api.ScreenRef, _ ...grpc.CallOption) (grpc.ServerStreamingClient[api.TakeOverResponse], error) {
	return last[api.TakeOverResponse](ctx, n, "take over", of)
}

func (n *screenNodes) Drive(ctx context.Context, d *api.DriveRequest, _ ...grpc.CallOption) (*api.DriveResponse, error) {
	_, err := n.ask(ctx, "drive", d, nil).ends()
	return &api.DriveResponse{}, err
}

func (n *screenNodes) Await(ctx context.Context, _ func(*registry.Catalog) bool) {
	select {
	case <-n.unseen:
	case <-ctx.Done():
	}
}

// next is the next request, which is of a kind.
func (n *screenNodes) next(t *testing.T, kind string) *asked {
	t.Helper()
	a := <-n.asked
	if a.kind != kind {
		t.Fatalf("the node is asked to %s, not to %s", a.kind, kind)
	}
	return a
}

// open opens a screen.
func open(t *testing.T, n *screenNodes, held screencast.Held) (s *RemoteScreen, watch *asked) {
	t.Helper()
	var err error
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		s, err = WatchScreen(t.Context(), n, "p", held)
	}()
	watch = n.next(t, "show")
	watch.progress()
	<-opened
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, watch
}

// TestOneOnTheWay: the node is asked for the next picture once the last one was taken, and one that came while nobody waited isn't lost.
func TestOneOnTheWay(t *testing.T) {
	n := newFakeNodes()
	s, _ := open(t, n, nil)
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() {
		_, err := s.Next(ctx)
		waited <- err
	}()
	look := n.next(t, "look")
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
	look.end <- answer{shown: &api.ScreenView{Picture: "1", State: "looking"}}
	if v, err := s.Next(t.Context()); err != nil || v.Picture != "1" {
		t.Errorf("it shows %+v, %v", v, err)
	}
	if len(n.asked) > 0 {
		t.Error("another picture was asked for before somebody wants it")
	}
	go func() { n.next(t, "look").end <- answer{shown: &api.ScreenView{Picture: "2"}} }()
	if v, err := s.Next(t.Context()); err != nil || v.Picture != "2" {
		t.Errorf("then it shows %+v, %v", v, err)
	}
}

// A node can't have the gateway keep more than a picture and some words.
func TestTooLarge(t *testing.T) {
	for _, shown := range []*api.ScreenView{{Picture: strings.Repeat("p", MaxPicture+1)}, {Hidden: strings.Repeat("h", maxViewText)}} {
		n := newFakeNodes()
		s, _ := open(t, n, nil)
		go func() { n.next(t, "look").end <- answer{shown: shown} }()
		if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "too large") || s.ctx.Err() == nil {
			t.Errorf("%.20s…: %v", shown, err)
		}
	}
}

// TestEnds: a picture ends when its node ends it or is lost, and when the tenant sees the tab no longer; what is on the
// way then isn't shown, and the tab isn't operated.
func TestViewingEnds(t *testing.T) {
	lost := errors.New("the node one was lost")
	for name, end := range map[string]func(n *screenNodes, watch *asked){
		lost.Error():                 func(_ *screenNodes, watch *asked) { watch.end <- answer{err: lost} },
		"the node ended the picture": func(_ *screenNodes, watch *asked) { watch.end <- answer{} },
		"leased":                     func(n *screenNodes, _ *asked) { close(n.unseen) },
	} {
		t.Run(name, func(t *testing.T) {
			n := newFakeNodes()
			s, watch := open(t, n, nil)
			over := make(chan struct{})
			if !s.TakeOver(func() { close(over) }) {
				t.Error("the tab wasn't taken over")
			}
			n.next(t, "take over").progress()
			waited := make(chan error, 1)
			go func() {
				_, err := s.Next(t.Context())
				waited <- err
			}()
			look := n.next(t, "look")
			end(n, watch)
			<-over
			if err := <-waited; err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("it ended with %v", err)
			}
			look.end <- answer{shown: &api.ScreenView{Picture: "late"}}
			if v, err := s.Next(t.Context()); err == nil || v.GetPicture() != "" {
				t.Errorf("after the end it shows %+v", v)
			}
			if s.TakeOver(nil) || s.Drive(t.Context(), []byte("[]")) == nil || len(n.asked) > 0 {
				t.Error("after the end it is operated")
			}
			if watch.ctx.Err() == nil {
				t.Error("the node isn't told")
			}
		})
	}
}

// TestNotShown: what the node, an earlier version of it, or the room says against it is said.
func TestNotShown(t *testing.T) {
	n := newFakeNodes()
	go func() { n.next(t, "show").end <- answer{err: errors.New(`doesn't know how to do "watch"`)} }()
	if _, err := WatchScreen(t.Context(), n, "p", nil); err == nil || !strings.Contains(err.Error(), `the node one shows no picture of the tab: doesn't know how to do "watch"`) {
		t.Errorf("an old node: %v", err)
	}
	n.refuse = errUnseen
	if _, err := WatchScreen(t.Context(), n, "p", nil); !errors.Is(err, errUnseen) || len(n.asked) > 0 {
		t.Errorf("another tenant's: %v", err)
	}
}

// TestOperates: a tab is told of while it is a person's, what they do goes out in order, and giving it back ends the request.
func TestOperates(t *testing.T) {
	n := newFakeNodes()
	var mu sync.Mutex
	var told []string
	tell := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, what)
	}
	began := make(chan struct{})
	s, _ := open(t, n, func(func()) func() { tell("held"); close(began); return func() { tell("let go") } })
	over := make(chan struct{})
	if !s.TakeOver(func() { tell("over"); close(over) }) || s.TakeOver(nil) {
		t.Error("it wasn't taken over, or twice")
	}
	hold := n.next(t, "take over")
	hold.progress()
	<-began
	done := make(chan error, 2)
	go func() { done <- s.Drive(t.Context(), []byte("[1]")) }()
	first := n.next(t, "drive")
	go func() { done <- s.Drive(t.Context(), []byte("[2]")) }()
	if len(n.asked) > 0 {
		t.Error("the second goes out beside the first")
	}
	first.end <- answer{}
	second := n.next(t, "drive")
	if d, is := second.body.(*api.DriveRequest); !is || string(d.Events) != "[2]" {
		t.Errorf("the second is %+v", second.body)
	}
	second.end <- answer{err: errors.New("why not")}
	if a, b := <-done, <-done; (a == nil) == (b == nil) {
		t.Errorf("they gave %v and %v", a, b)
	}
	if err := s.Drive(t.Context(), []byte("[")); err == nil {
		t.Error("what is no JSON is sent")
	}
	s.GiveBack()
	<-over
	if hold.ctx.Err() == nil || strings.Join(told, ", ") != "held, let go, over" {
		t.Errorf("told: %q", told)
	}
}
