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
	interval = 200 * time.Millisecond // the least time between two pictures

	// again is the time after which Next starts the screencast anew: for a hidden tab, because the tab may be shown
	// by then, and for a tab that no longer changes, if Chrome may have dropped a frame. Callers of Next wait longer.
	again = 500 * time.Millisecond

	// inFlight is how many frames come before Chrome may drop some. Chrome sends three before the first is
	// acknowledged (the third may still be on its way). It drops what the page draws then, even the last of it.
	inFlight = 2
)

// cast has the parameters of Page.startScreencast.
var cast = map[string]any{"format": "jpeg", "quality": 60, "maxWidth": 1280, "maxHeight": 960, "everyNthFrame": 1}

// maxPicture bounds the pictures that are passed on, in bytes of base64.
const maxPicture = 4 << 20

// Options are fixed for the life of a [Screen].
type Options struct {
	Page    page.Options   // Open sets Permits by Rules
	Rules   *names.Origins // which documents may be shown and operated; nil permits all except hubs' own pages
	Mac     bool           // the browser runs on a Mac
	Operate Operate        // nil if nobody else acts on the tab through this hub
	Held    Held           // may be nil
}

// Operate returns the page by which agents act on the tab, and a function that releases it.
type Operate func(ctx context.Context) (p *page.Page, release func(), err error)

// Held is called when a person has taken the tab over. end ends the takeover. Held returns a function that the Screen
// calls when the takeover has ended.
type Held func(end func()) (over func())

// State says who operates the tab, from the view of the person who looks at it.
type State string

// The states.
const (
	Looking State = "looking" // agents may operate the tab
	Waiting State = "waiting" // the person will have the tab once an agent's action has ended
	Yours   State = "yours"   // the person has the tab
)

// View is what the person sees at one moment.
type View struct {
	Picture string // a JPEG in base64; "" if there is none, or no newer one than the last
	Hidden  string // why there is no picture, as a sentence; "" if there is no reason
	Note    string // what else the person should know, as a sentence
	State   State
	// Document names the main document that the tab had when the last picture came; "" if there was none. It can be
	// wrong: Chrome says when it drew a picture, by its own clock, but not of which document. If a picture of an
	// animated page was drawn right before another document came and arrived after that, it has the name of the new
	// document. That lasts until the next picture, which Chrome draws as the new document appears. Measured on a busy
	// machine: pictures came 31 to 429 ms after they were drawn; the first picture of a new document was drawn 36 to
	// 187 ms after the document was reported; and in 20 navigations between still pages none of 21 pictures had a
	// wrong name.
	Document string
}

// Screen is a tab that a person looks at. Any goroutine may call its methods, but only one may call [Screen.Next].
// The caller closes the Screen when done.
type Screen struct {
	page    *page.Page
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup // waits for the goroutine of the takeover

	changed chan struct{} // has a value when there is something new to see
	driving chan struct{} // has a value while somebody acts

	mu      sync.Mutex // guards the fields below; nobody blocks while holding it
	newest  *frame     // the newest frame; nil once it was taken
	caption caption
	held    *hold
	shown   geometry // the geometry of the last picture that was given
	of      string   // the main document of that picture
	last    pacing
}

// caption is what a View has besides the picture.
type caption struct {
	hidden, note string
	dialog       int // the number of the open dialog that a view mentioned; 0 if none
}

// pacing says when the Screen asks Chrome for the next picture.
type pacing struct {
	given   time.Time // when the last view was given
	unacked []int     // frames that haven't been acknowledged
	dropped bool      // Chrome may have dropped frames since the screencast began
	ended   bool      // the screencast has stopped or is about to stop, because the tab may not be shown
	stop    bool      // Page.stopScreencast has yet to be sent
}

// frame is a picture as Chrome sends it.
type frame struct {
	Data      string
	Metadata  geometry
	SessionID int
	document  string // the main document when the frame came
}

// Open opens a Screen for a tab.
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
	// The focus is emulated so that Chrome draws a tab in the background.
	p.Post("", "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true})
	p.Post("", "Page.startScreencast", cast)
	s.wake()
	return s, nil
}

// Close ends the screencast and gives the tab back.
func (s *Screen) Close() {
	s.mu.Lock() // so that TakeOver begins nothing afterwards
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

// came handles a frame. It is called on the page's own goroutine.
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
	s.last.unacked = append(s.last.unacked, f.SessionID)
	if s.hide(why); why == "" && !s.last.ended && len(f.Data) <= maxPicture {
		s.newest = &f
	}
	s.wake()
}

// moved hides the tab if the document that has just come is kept out. It runs on the page's own goroutine.
func (s *Screen) moved() {
	why := s.keptOut()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hide(why)
}

// hide discards the newest picture and stops the screencast if why isn't "". The caller holds mu.
func (s *Screen) hide(why string) {
	if why == "" {
		return
	}
	if s.caption.hidden = why; !s.last.ended {
		s.last.ended, s.last.stop = true, true
	}
	s.newest = nil
	s.wake()
}

// Next waits until there is something new to show, and returns it. The error says why nothing more will come. Once
// Next has begun to make a view, it returns the view even if ctx ends, so that no picture is lost.
func (s *Screen) Next(ctx context.Context) (View, error) {
	for {
		if err := s.rest(ctx); err != nil {
			return View{}, err
		}
		timer := (<-chan time.Time)(nil)
		s.mu.Lock()
		if s.last.ended || s.last.dropped {
			timer = time.After(again)
		}
		s.mu.Unlock()
		select {
		case <-s.changed:
			return s.view(context.WithoutCancel(ctx)), nil
		case <-timer:
			s.anew(context.WithoutCancel(ctx))
		case <-s.page.Done():
			return View{}, s.page.Err()
		case <-ctx.Done():
			return View{}, context.Cause(ctx)
		}
	}
}

// rest waits until another picture may be given, and makes Chrome draw it.
func (s *Screen) rest(ctx context.Context) error {
	s.mu.Lock()
	left := interval - time.Since(s.last.given)
	s.mu.Unlock()
	if left > 0 {
		if err := s.page.Pause(ctx, left); err != nil {
			return err
		}
	}
	s.mu.Lock()
	unacked, stop := s.last.unacked, s.last.stop
	s.last.unacked, s.last.stop = nil, false
	s.last.dropped = s.last.dropped || len(unacked) >= inFlight
	s.mu.Unlock()
	if stop {
		s.page.Post("", "Page.stopScreencast", nil)
	}
	for _, one := range unacked {
		s.page.Post("", "Page.screencastFrameAck", map[string]any{"sessionId": one})
	}
	return nil
}

// anew starts the screencast again, for Chrome to send a frame of what is to be seen now, if the tab may be shown. If
// the tab may not, the reason can have changed: a frame that was still loading may turn out to be kept out.
func (s *Screen) anew(ctx context.Context) {
	why := s.asks(ctx)
	s.mu.Lock()
	if why != "" {
		if why != s.caption.hidden {
			s.hide(why)
		}
		s.mu.Unlock()
		return
	}
	on := !s.last.ended
	s.last.ended, s.last.dropped, s.caption.hidden = false, false, ""
	s.mu.Unlock()
	if on {
		s.page.Post("", "Page.stopScreencast", nil)
	}
	s.page.Post("", "Page.startScreencast", cast)
	s.wake()
}

// view returns what there is to see now.
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
	s.caption.dialog = d.Number
	v := View{Hidden: s.caption.hidden, Note: s.caption.note, State: s.state()}
	if s.last.given = time.Now(); newest != nil && !s.last.ended {
		s.shown, s.of, v.Picture = newest.Metadata, newest.document, newest.Data
	}
	if s.of == "" && s.shown != (geometry{}) { // the picture came before the document was known
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

// state returns the current State. The caller holds mu.
func (s *Screen) state() State {
	switch {
	case s.held == nil:
		return Looking
	case s.held.page == nil:
		return Waiting
	}
	return Yours
}
