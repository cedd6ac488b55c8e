package live

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// Screener is a [Hub] that can show tabs.
type Screener interface {
	// Screen begins to show a tab. The caller must close the Screen.
	Screen(ctx context.Context, tab *registry.Tab) (Screen, error)
}

const noPictures = "Tabs can't be watched here."

// screener returns what can show a tab, which may be nil. Otherwise why says why the tab can't be shown.
func (s *Server) screener(tab *registry.Tab) (_ Screener, why string) {
	screener, shows := s.hub.(Screener)
	switch {
	case !shows:
		return nil, noPictures
	case tab == nil:
		return nil, "This tab is not open."
	case !tab.Connected():
		return nil, "The hub is not connected to this page. Connect it on the live page first."
	}
	return screener, ""
}

// Screen is a tab that a person looks at and may take over. Any goroutine may call its methods, but only one
// goroutine may call Next.
type Screen interface {
	// Next waits for something new to show. An error says why nothing more will come.
	Next(ctx context.Context) (Shown, error)
	// TakeOver gives the tab to the person as soon as a running action of an agent has ended, and GiveBack takes it
	// from the person. Neither waits. over is called when the tab is no longer the person's. If there is nothing to
	// take over, TakeOver returns false and doesn't call over.
	TakeOver(over func()) bool
	GiveBack()
	// Drive carries out what the person does in the picture: events as the page's script sends them.
	Drive(ctx context.Context, events []byte) error
	// Close ends the picture, and gives the tab back.
	Close()
}

// Shown is what a viewer sees of a tab.
type Shown struct {
	Picture string `json:"picture,omitempty"` // a JPEG in base64; "" if there is no picture, or no new one
	Hidden  string `json:"hidden,omitempty"`  // why there is no picture
	Note    string `json:"note,omitempty"`    // what else the person should know
	State   string `json:"state"`             // "looking", "waiting" for the tab, or "yours"
	// Document names the document of the last picture. Events that carry it reach no other document; events without
	// it reach no page.
	Document string `json:"document,omitempty"`
	// The server sets these: the tab is paused for agents, or a person has it by another picture.
	Paused bool `json:"paused"`
	Taken  bool `json:"taken"`
}

// maxScreens is how many tabs may be watched at the same time. Each costs Chrome and the hub some work.
const maxScreens = 4

// sight identifies one browser that watches one tab.
type sight struct{ session, viewer, tab string }

// watched is the Screen of a sight. yours says whether the viewer has the tab.
type watched struct {
	Screen
	yours bool
}

// screens holds the tabs that are watched. It is a part of the store.
type screens struct {
	open   map[sight]watched
	coming int  // how many are being opened
	over   bool // no more may be opened
}

func newScreens() screens { return screens{open: map[sight]watched{}} }

// shows records what a viewer is about to see of its tab. It reports whether a person has the tab by another picture.
func (all *screens) shows(one sight, is Shown) (taken bool) {
	all.open[one] = watched{all.open[one].Screen, is.State == "yours"}
	for other, w := range all.open {
		taken = taken || w.yours && other != one && other.tab == one.tab
	}
	return taken
}

// watch serves the page with a tab's picture.
func (s *Server) watch(w http.ResponseWriter, f Filter, session string) {
	if _, shows := s.hub.(Screener); !shows {
		s.note(w, http.StatusNotFound, "There is no picture", noPictures, "./")
		return
	}
	now := s.catalog()
	tab := openTab(now, s.only(f).Tab)
	if tab == nil {
		s.note(w, http.StatusNotFound, "This tab is not open", "It was closed, or never was.", "./")
		return
	}
	of := strconv.Itoa(int(tab.ID))
	s.render(w, http.StatusOK, "watch", Watch{Title: "Watch tab " + of, Tab: of, Index: pageIndex(now, tab.ID),
		Page: sanitize.Text(tab.Title, 200), Nonce: s.nonce(session, "drive", of)})
}

// picture sends a tab's pictures as server-sent events, until the viewer or the tab is gone.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, f Filter, session string) {
	w.Header().Set("Content-Type", "text/event-stream")
	write := writer(w)
	send := func(is any) error {
		raw, err := json.Marshal(is)
		if err != nil {
			return err
		}
		return write(append(append([]byte("data: "), raw...), "\n\n"...))
	}
	ended := func(why string) {
		_ = send(struct {
			Shown
			Over bool `json:"over"`
		}{Shown{Hidden: why, State: "looking"}, true})
	}
	tab := openTab(s.catalog(), s.only(f).Tab)
	screener, why := s.screener(tab)
	if why != "" {
		ended(why)
		return
	}
	admitted := false
	s.store.ask(func(b *store) {
		if admitted = !b.over && len(b.screens.open)+b.coming < maxScreens; admitted {
			b.coming++
			s.streams.Add(1)
		}
	})
	if !admitted {
		ended("Too many tabs are being watched. Close some of these pages, and reload this one.")
		return
	}
	defer s.streams.Done()
	ctx, leave := s.stay(r.Context(), session)
	defer leave()
	screen, err := screener.Screen(ctx, tab)
	is := sight{session, rand.Text(), strconv.Itoa(int(tab.ID))}
	s.store.ask(func(b *store) {
		if b.coming--; err == nil {
			b.screens.open[is] = watched{Screen: screen}
		}
	})
	if err != nil {
		ended("The tab can't be shown: " + sanitize.Text(err.Error(), 500) + ".")
		return
	}
	defer screen.Close()
	defer s.store.ask(func(b *store) { delete(b.screens.open, is) })
	if send(map[string]string{"viewer": is.viewer}) == nil {
		now := func(v Shown) Shown {
			v.Paused = s.paused().pausesTab(tab.ID)
			s.store.ask(func(b *store) { v.Taken = b.screens.shows(is, v) })
			return v
		}
		if err := pictures(ctx, screen, now, send, write); err != nil {
			ended("The picture has ended: " + sanitize.Text(err.Error(), 500) + ".")
		}
	}
}

// pictures sends what a viewer sees, until the viewer has gone or the screen ends, which is an error. now sets the
// members that the server knows. Nobody reports changes of these members.
func pictures(ctx context.Context, screen Screen, now func(Shown) Shown, send func(any) error,
	write func([]byte) error) error {
	is, written := Shown{State: "looking"}, time.Now()
	for sent := (Shown{}); ; { // the first is sent even if there is no picture yet
		some, cancel := context.WithTimeout(ctx, look)
		next, err := screen.Next(some)
		cancel()
		switch {
		case err == nil:
			is = next
		case ctx.Err() != nil:
			return nil
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
		switch is = now(is); {
		case is != sent:
			err = send(is)
		case time.Since(written) > alive:
			err = write([]byte(": nothing new\n\n"))
		default:
			continue
		}
		if err != nil {
			return nil
		}
		is.Picture = ""
		sent, written = is, time.Now()
	}
}

// driveTime is how long a viewer's input may take.
const driveTime = 20 * time.Second

// drive carries out what a person does with a picture that they are watching.
func (s *Server) drive(w http.ResponseWriter, r *http.Request, session string) {
	respond := func(status int, why string) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(why))
	}
	if err := r.ParseForm(); err != nil {
		respond(http.StatusBadRequest, "The form can't be read.")
		return
	}
	do, of := r.PostForm.Get("do"), r.PostForm.Get("of")
	if subtle.ConstantTimeCompare([]byte(r.PostForm.Get("nonce")), []byte(s.nonce(session, "drive", of))) != 1 {
		respond(http.StatusForbidden, "Nothing was done: reload the page and try again.")
		return
	}
	var screen Screen
	s.store.ask(func(b *store) { screen = b.screens.open[sight{session, r.PostForm.Get("viewer"), of}].Screen })
	if screen == nil {
		respond(http.StatusConflict, "Nothing was done: the picture has ended. Reload the page.")
		return
	}
	switch do {
	case "take":
		s.log.Info("the user takes a tab over on the live page", "tab", of)
		s.takeOver(screen, tabNumber(of), r.PostForm.Get("pause") != "")
	case "give":
		screen.GiveBack()
	case "input":
		ctx, cancel := context.WithTimeout(r.Context(), driveTime)
		defer cancel()
		if err := screen.Drive(ctx, []byte(r.PostForm.Get("events"))); err != nil {
			respond(http.StatusConflict, sanitize.Text(err.Error(), 500))
			return
		}
	default:
		respond(http.StatusBadRequest, "The page has no such button.")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// takeOver gives a tab to the person. If pause is true, it also pauses the tab for agents until the person no longer
// has the tab.
func (s *Server) takeOver(screen Screen, id registry.TabID, pause bool) {
	if !pause {
		screen.TakeOver(func() {})
		return
	}
	this := &takeOver{}
	s.pause(func(p *paused) { p.take(this, id) })
	free := func() { s.pause(func(p *paused) { p.give(this) }) }
	if !screen.TakeOver(free) {
		free()
	}
}

// end admits no more viewers of pictures, and waits for those that are watching.
func (s *Server) end() {
	s.store.ask(func(b *store) { b.over = true })
	s.streams.Wait()
}
