package automate

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"webmcphub/automation/screencast"
	"webmcphub/cluster/api"
	"webmcphub/registry"
)

// ScreenNodes has the methods of gateway.Nodes that a RemoteScreen needs.
type ScreenNodes interface {
	ShowRequest(page registry.PageID) (node string, w *api.ShowRequest, err error)
	Screen(node string) api.ScreenClient
	Await(ctx context.Context, wanted func(*registry.Catalog) bool)
}

// openTime is how long a node may take to show a tab.
const openTime = 30 * time.Second

// RemoteScreen is a tab that a person looks at, and may take over. Any goroutine may call its methods, but only one at
// a time may call Next. The caller must close it.
type RemoteScreen struct {
	at      api.ScreenClient
	node    string
	is      *api.ScreenRef
	held    screencast.Held // may be nil
	ctx     context.Context
	end     context.CancelCauseFunc
	driving chan struct{} // holds a token while Drive runs, so that a person's input arrives in order

	pending bool        // a view is on its way; belongs to the goroutine that calls Next
	looked  chan looked // has room for one

	mu      sync.Mutex // guards back, and lets no goroutine begin during Close
	running sync.WaitGroup
	back    context.CancelFunc // gives the tab back; nil while agents have it
}

// looked is the outcome of asking for a view.
type looked struct {
	*api.ScreenView
	err error
}

// Reasons why a picture ends.
var (
	errClosed = errors.New("nobody is watching any more")
	errUnseen = errors.New("the tab is closed, or its browser is no longer leased")
)

// WatchScreen makes a page's node show the page. It returns when the node shows it, or refuses to.
func WatchScreen(ctx context.Context, n ScreenNodes, page registry.PageID,
	held screencast.Held) (*RemoteScreen, error) {
	node, w, err := n.ShowRequest(page)
	if err != nil {
		return nil, err
	}
	w.Screen = rand.Text()
	s := &RemoteScreen{at: n.Screen(node), node: node, is: &api.ScreenRef{Screen: w.Screen}, held: held,
		driving: make(chan struct{}, 1), looked: make(chan looked, 1)}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	begun := make(chan struct{})
	s.running.Go(func() {
		shown, err := s.at.Show(s.ctx, w)
		s.end(cmp.Or(lasts(shown, err, begun), errors.New("the node ended the picture")))
	})
	s.running.Go(func() {
		n.Await(s.ctx, func(c *registry.Catalog) bool { return c.Tab(page) == nil })
		s.end(errUnseen)
	})
	ctx, cancel := context.WithTimeoutCause(ctx, openTime, errors.New("the node doesn't answer"))
	defer cancel()
	select {
	case <-begun:
		return s, nil
	case <-s.ctx.Done():
		err = context.Cause(s.ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.Close()
	return nil, fmt.Errorf("the node %s shows no picture of the tab: %w", node, err)
}

// lasts closes begun at a stream's first message, which is the only one, and returns when the stream has ended.
func lasts[R any](stream grpc.ServerStreamingClient[R], err error, begun chan<- struct{}) error {
	if err == nil {
		_, err = stream.Recv()
	}
	if err == nil {
		close(begun)
		_, err = stream.Recv()
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// Close ends the screen, and gives the tab back to agents.
func (s *RemoteScreen) Close() {
	s.mu.Lock() // so that begin starts nothing afterwards
	s.end(errClosed)
	s.mu.Unlock()
	s.running.Wait()
}

// begin calls do in a goroutine and returns true, unless s has ended. The caller holds mu.
func (s *RemoteScreen) begin(do func()) bool {
	if s.ctx.Err() != nil {
		return false
	}
	s.running.Go(do)
	return true
}

// Next waits for something new to show. The error says why nothing will come any more. If ctx ends while a view is on
// its way, the next call returns that view.
func (s *RemoteScreen) Next(ctx context.Context) (none *api.ScreenView, _ error) {
	if !s.pending {
		s.mu.Lock()
		s.pending = s.begin(s.look)
		s.mu.Unlock()
	}
	select {
	case l := <-s.looked:
		s.pending = false
		if s.ctx.Err() != nil { // a view that was on its way isn't shown
			return none, context.Cause(s.ctx)
		}
		if l.err != nil {
			s.end(l.err)
		}
		return l.ScreenView, l.err
	case <-s.ctx.Done():
		return none, context.Cause(s.ctx)
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

const (
	// MaxPicture is how many bytes a picture may have.
	MaxPicture = 4 << 20
	// maxViewText is how many bytes the rest of a view may have.
	maxViewText = 64 << 10
)

// look asks for a view.
func (s *RemoteScreen) look() {
	var l looked
	l.ScreenView, l.err = s.at.Look(s.ctx, s.is)
	if l.err == nil && (len(l.Picture) > MaxPicture || proto.Size(l.ScreenView)-len(l.Picture) > maxViewText) {
		l = looked{err: fmt.Errorf("the node %s sent a picture that is too large", s.node)}
	}
	s.looked <- l
}

// TakeOver gives the tab to the person once an agent's running action has ended, and calls over when the person no
// longer has the tab. If a TakeOver isn't over yet, or s has ended, it returns false and doesn't call over.
func (s *RemoteScreen) TakeOver(over func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.back != nil {
		return false
	}
	ctx, back := context.WithCancel(s.ctx)
	began := s.begin(func() {
		s.holds(ctx)
		s.mu.Lock()
		s.back = nil
		s.mu.Unlock()
		back()
		over()
	})
	if !began {
		back()
		return false
	}
	s.back = back
	return true
}

// holds makes the node give the tab to the person, until ctx ends or the node ends it.
func (s *RemoteScreen) holds(ctx context.Context) {
	yours, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		taken, err := s.at.TakeOver(ctx, s.is)
		_ = lasts(taken, err, yours) // the next view shows who has the tab
	}()
	select {
	case <-yours:
		if s.held != nil {
			defer s.held(s.GiveBack)()
		}
	case <-over:
	}
	<-over
}

// GiveBack ends what TakeOver began. It doesn't wait.
func (s *RemoteScreen) GiveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.back != nil {
		s.back()
	}
}

// Drive carries out the person's input in the picture. events are in the form that the live page's script sends.
func (s *RemoteScreen) Drive(ctx context.Context, events []byte) error {
	if !json.Valid(events) {
		return errors.New("the input can't be read")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(context.Cause(s.ctx)) })()
	select {
	case s.driving <- struct{}{}:
		defer func() { <-s.driving }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	_, err := s.at.Drive(ctx, &api.DriveRequest{Screen: s.is.Screen, Events: events})
	return err
}
