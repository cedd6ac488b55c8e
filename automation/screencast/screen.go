package screencast

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
	"webmcphub/registry/names"
)

const (
	pace  = 200 * time.Millisecond // between two pictures
	again = time.Second            // between two looks at whether a tab may be shown
)

// cast are the parameters of Page.startScreencast.
var cast = map[string]any{"format": "jpeg", "quality": 60, "maxWidth": 1280, "maxHeight": 960, "everyNthFrame": 1}

// maxPicture is the longest picture that is passed on, in bytes of base64.
const maxPicture = 4 << 20

// Options are fixed for the life of a [Screen].
type Options struct {
	Page    page.Options   // Permits is Rules'
	Rules   *names.Origins // which documents may be shown and operated; nil permits all but hubs' own pages
	Mac     bool           // the browser runs on a Mac
	Operate Operate        // nil: nobody else acts on the tab by this hub
	Held    Held           // may be nil
}

// Operate gives the page by which agents act on the tab, and what lets go of it.
type Operate func(ctx context.Context) (p *page.Page, release func(), err error)

// Held is told that a person has taken the tab over, with what ends that, and gives what is told
// of the end.
type Held func(end func()) (over func())

// State is who operates the tab, as far as the person who looks at it is concerned.
type State string

// The states.
const (
	Looking State = "looking" // agents may
	Waiting State = "waiting" // the person does once an agent's action has ended
	Yours   State = "yours"   // the person does
)

// View is what there is to see.
type View struct {
	Picture string // a JPEG in base64; "" if there is none, or no other than the last one
	Hidden  string // why there is no picture, as a sentence; "" if nothing is in the way
	Note    string // what else the person should know, as a sentence
	State   State
	// Document names the main document that the tab had when the picture that was given last came; ""
	// if there is none. Chrome says when it drew a picture, by its own clock, and not of what. So one
	// of an animated page that was drawn right before another document came, and came after that, is
	// under the new one's name until the next picture, which Chrome draws as the new document appears.
	// Measured on a busy machine: pictures came 31 to 429 ms after they were drawn; the first of
	// a new document was drawn 36 to 187 ms after that was told of; and in 20 navigations
	// between still pages none of 21 pictures had a wrong name.
	Document string
}

// Screen is a tab that a person looks at. Any goroutine may call its methods, but one only
// [Screen.Next]. Close it.
type Screen struct {
	page    *page.Page
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // the hold

	changed chan struct{} // filled when there is something to see
	driving chan struct{} // filled by who acts

	mu     sync.Mutex // guards what follows; nothing blocks under it
	newest *frame     // that nobody has taken
	told   told
	held   *hold
	shown  geometry // of the picture that was given last
	of     string   // the main document of that picture
	last   pacing
}

// told is what a View says besides the picture.
type told struct {
	hidden, note string
	dialog       int // the open dialog that a view told of, by page's count; 0 for none
}

// pacing is when Chrome is asked for more.
type pacing struct {
	given time.Time // when the last view was
	owed  []int     // the frames that weren't acknowledged
	ended bool      // the screencast is to end, or has, as the tab may not be shown
	stop  bool      // Chrome is to be told so
}

// frame is a picture as Chrome sends it.
type frame struct {
	Data      string
	Metadata  geometry
	SessionID int
	document  string // the main one as it came
}

// Open begins to look at a tab.
func Open(ctx context.Context, conn *cdpclient.Conn, target string, o Options) (*Screen, error) {
	o.Page.Permits = o.Rules.PermitsOrigin
	p, err := page.Open(ctx, conn, target, o.Page)
	if err != nil {
		return nil, err
	}
	s := &Screen{page: p, options: o, changed: make(chan struct{}, 1), driving: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	p.Subscribe(s.came, "Page.screencastFrame")
	p.Subscribe(func(cdpclient.Event) { s.moved() }, "Page.frameNavigated", cdpclient.TargetAttachedToTarget)
	p.Subscribe(func(cdpclient.Event) { s.wake() }, "Page.javascriptDialogOpening", "Page.javascriptDialogClosed")
	p.Post("", "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}) // so that a tab in the background is drawn
	p.Post("", "Page.startScreencast", cast)
	s.wake()
	return s, nil
}

// Close ends the picture, and gives the tab back.
func (s *Screen) Close() {
	s.mu.Lock() // for TakeOver, which begins nothing after it
	s.cancel()
	s.mu.Unlock()
	s.running.Wait()
	s.page.Post("", "Page.stopScreencast", nil)
	s.page.Close()
}

func (s *Screen) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// came takes a frame. The page's goroutine calls it.
func (s *Screen) came(e cdpclient.Event) {
	var f frame
	if json.Unmarshal(e.Params, &f) != nil {
		return
	}
	why := s.keptOut()
	main, _ := s.page.Main()
	f.document = main.Loader
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last.owed = append(s.last.owed, f.SessionID)
	if s.hide(why); why == "" && !s.last.ended && len(f.Data) <= maxPicture {
		s.newest = &f
	}
	s.wake()
}

// moved notes that another document has come. The page's goroutine calls it.
func (s *Screen) moved() {
	why := s.keptOut()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(why)
}

// hide throws away what was drawn while the tab may not be shown. mu is held.
func (s *Screen) hide(why string) {
	if why == "" {
		return
	}
	if s.told.hidden = why; !s.last.ended {
		s.last.ended, s.last.stop = true, true
	}
	s.newest = nil
	s.wake()
}

// Next waits for something new to show, and gives it; or says why there will be nothing. A view that
// it has begun to make it gives even if ctx ends meanwhile, so that no picture is lost.
func (s *Screen) Next(ctx context.Context) (View, error) {
	for {
		if err := s.rest(ctx); err != nil {
			return View{}, err
		}
		timer := (<-chan time.Time)(nil)
		s.mu.Lock()
		if s.last.ended {
			timer = time.After(again)
		}
		s.mu.Unlock()
		select {
		case <-s.changed:
			return s.view(context.WithoutCancel(ctx)), nil
		case <-timer:
			s.anew(ctx)
		case <-s.page.Done():
			return View{}, s.page.Err()
		case <-ctx.Done():
			return View{}, context.Cause(ctx)
		}
	}
}

// rest waits until another picture may be given, and has Chrome draw it.
func (s *Screen) rest(ctx context.Context) error {
	s.mu.Lock()
	left := pace - time.Since(s.last.given)
	s.mu.Unlock()
	if left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.page.Done():
			return s.page.Err()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	s.mu.Lock()
	owed, stop := s.last.owed, s.last.stop
	s.last.owed, s.last.stop = nil, false
	s.mu.Unlock()
	if stop {
		s.page.Post("", "Page.stopScreencast", nil)
	}
	for _, one := range owed {
		s.page.Post("", "Page.screencastFrameAck", map[string]any{"sessionId": one})
	}
	return nil
}

// anew begins the screencast again if the tab may be shown again. The reason why it may not can
// be another one by now: a frame that was still loading turns out to be kept out.
func (s *Screen) anew(ctx context.Context) {
	why := s.asks(ctx)
	s.mu.Lock()
	if why != "" {
		if why != s.told.hidden {
			s.hide(why)
		}
		s.mu.Unlock()
		return
	}
	s.last.ended, s.told.hidden = false, ""
	s.mu.Unlock()
	s.page.Post("", "Page.startScreencast", cast)
	s.wake()
}

// view is what there is to see now.
func (s *Screen) view(ctx context.Context) View {
	s.mu.Lock()
	newest := s.newest
	s.newest = nil
	s.mu.Unlock()
	why := ""
	if newest != nil {
		why = s.asks(ctx)
	}
	dialog := ""
	d, open := s.page.Dialog()
	if open {
		dialog = "The page waits for an answer to its dialog: " + d.String() + ". "
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(why)
	s.told.dialog = d.Number
	v := View{Hidden: s.told.hidden, Note: s.told.note, State: s.state()}
	if s.last.given = time.Now(); newest != nil && !s.last.ended {
		s.shown, s.of, v.Picture = newest.Metadata, newest.document, newest.Data
	}
	if s.of == "" && s.shown != (geometry{}) { // of a picture that came before the document was known
		main, _ := s.page.Main()
		s.of = main.Loader
	}
	v.Document = s.of
	if dialog != "" && v.State == Yours {
		dialog += "Enter says yes to it, Escape no."
	}
	if dialog != "" {
		v.Note = dialog
	}
	return v
}

// state is the present one. mu is held.
func (s *Screen) state() State {
	switch {
	case s.held == nil:
		return Looking
	case s.held.page == nil:
		return Waiting
	}
	return Yours
}
