package live

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
)

// fakeScreen shows what a test has it show.
type fakeScreen struct {
	shows  chan Shown
	did    chan string
	closed chan struct{}
	over   func() // what TakeOver was given
	taken  bool   // it has nothing to begin
}

func newFakeScreen() *fakeScreen {
	return &fakeScreen{shows: make(chan Shown, 4), did: make(chan string, 16), closed: make(chan struct{})}
}

func (f *fakeScreen) Next(ctx context.Context) (Shown, error) {
	select {
	case is, more := <-f.shows:
		if !more {
			return Shown{}, errors.New("the tab was closed")
		}
		return is, nil
	case <-ctx.Done():
		return Shown{}, context.Cause(ctx)
	}
}
func (f *fakeScreen) TakeOver(over func()) bool {
	f.over = over
	f.did <- "take"
	return !f.taken
}
func (f *fakeScreen) GiveBack() { f.did <- "give" }
func (f *fakeScreen) Close()    { close(f.closed) }
func (f *fakeScreen) Drive(_ context.Context, events []byte) error {
	if string(events) == "[]" {
		return errors.New("not yours <b>")
	}
	f.did <- string(events)
	return nil
}

// open serves a tab, and has the page show it.
func (v *visit) open() {
	r := registry.NewState(registry.Options{})
	for _, e := range []registry.Event{
		registry.PageOpened{Page: "A", URL: "https://a.example/"}, registry.Navigated{Page: "A", Gen: 1, URL: "https://a.example/"},
	} {
		v.Apply(r.Step(e))
	}
}

// looker is a browser that looks at the tab.
type looker struct {
	events *bufio.Scanner
	end    context.CancelFunc
}

func (v *visit) look(t *testing.T) *looker {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, v.Address()+"picture?tab=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", v.cookie)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); _ = answer.Body.Close() })
	return &looker{bufio.NewScanner(answer.Body), cancel}
}

// next is the next event.
func (l *looker) next(t *testing.T) (is struct {
	Viewer, Picture, Hidden, State string
	Over, Taken                    bool
}) {
	t.Helper()
	for l.events.Scan() {
		if data, has := strings.CutPrefix(l.events.Text(), "data: "); has {
			if err := json.Unmarshal([]byte(data), &is); err != nil {
				t.Fatal(err)
			}
			return is
		}
	}
	t.Fatalf("the stream ended: %v", l.events.Err())
	return is
}

// TestPicture: a tab's picture goes to whoever looks, and what they do in it to the tab; by the
// form of that page and the browser that looks, and not otherwise.
func TestPicture(t *testing.T) {
	screen := newFakeScreen()
	v := serve(t)
	v.screens <- screen
	v.enter()
	v.open()
	status, body, _ := v.send(http.MethodGet, v.Address()+"watch?tab=1", nil)
	found := regexp.MustCompile(`data-nonce="(\w+)"`).FindStringSubmatch(body)
	if status != 200 || found == nil {
		t.Fatalf("%d %s", status, body)
	}
	l := v.look(t)
	viewer := l.next(t).Viewer
	screen.shows <- Shown{Picture: "AAAA", State: "looking"}
	if is := l.next(t); viewer == "" || is.Picture != "AAAA" || is.State != "looking" {
		t.Errorf("viewer %q, %+v", viewer, is)
	}
	post := func(do, of, nonce, viewer, events string) (int, string) {
		status, body, _ := v.send(http.MethodPost, v.Address()+"drive", url.Values{"do": {do}, "of": {of}, "nonce": {nonce}, "viewer": {viewer}, "events": {events}})
		return status, body
	}
	for name, test := range map[string]struct {
		do, of, nonce, viewer, events string
		status                        int
	}{
		"no nonce":           {"take", "1", "", viewer, "", 403},
		"another tab":        {"take", "2", found[1], viewer, "", 403},
		"another viewer":     {"take", "1", found[1], "x", "", 409},
		"no button":          {"eat", "1", found[1], viewer, "", 400},
		"the screen refuses": {"input", "1", found[1], viewer, "[]", 409},
	} {
		if status, body := post(test.do, test.of, test.nonce, test.viewer, test.events); status != test.status || status == 409 && body == "" {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, do := range []string{"take", "input", "give"} {
		status, body := post(do, "1", found[1], viewer, `[{"kind":"down"}]`)
		if did := <-screen.did; status != 204 || did != do && did != `[{"kind":"down"}]` {
			t.Errorf("%s: %d %s, %s", do, status, body, did)
		}
	}
	l.end()
	<-screen.closed // the viewer has gone
	if status, _ := post("take", "1", found[1], viewer, ""); status != 409 {
		t.Errorf("after the end: %d", status)
	}
}

// TestBeforeThePicture: who looks at a tab that has no picture is told that they look at it.
func TestBeforeThePicture(t *testing.T) {
	screen := newFakeScreen()
	v := serve(t)
	v.screens <- screen
	v.enter()
	v.open()
	screen.shows <- Shown{State: "looking"}
	screen.shows <- Shown{Picture: "AAAA", State: "looking"}
	l := v.look(t)
	l.next(t) // the viewer
	for _, want := range []string{"", "AAAA"} {
		if is := l.next(t); is.State != "looking" || is.Picture != want {
			t.Errorf("told %+v, want the picture %q", is, want)
		}
	}
}

// TestTakenOverByAnother: whoever looks at a tab that a person has by another picture is told so, and when that is
// over.
func TestTakenOverByAnother(t *testing.T) {
	first, second := newFakeScreen(), newFakeScreen()
	v := serve(t)
	v.enter()
	v.open()
	look := func(screen *fakeScreen) *looker {
		v.screens <- screen
		l := v.look(t)
		l.next(t)
		screen.shows <- Shown{Picture: "AAAA", State: "looking"}
		if is := l.next(t); is.Taken {
			t.Errorf("nobody has it: %+v", is)
		}
		return l
	}
	has, sees := look(first), look(second)
	for _, state := range []string{"yours", "looking", "yours"} {
		first.shows <- Shown{State: state}
		if is := has.next(t); is.Taken || is.State != state {
			t.Errorf("who has it is told %+v", is)
		}
		if is := sees.next(t); is.Taken != (state == "yours") || is.State != "looking" {
			t.Errorf("the other is told %+v while it is %q", is, state)
		}
	}
	has.end()
	<-first.closed
	if is := sees.next(t); is.Taken {
		t.Errorf("who had it has left: %+v", is)
	}
}

// TestPausedWhileTakenOver: who takes a tab over can have it paused for agents until it is theirs no
// longer; what was paused besides stays so.
func TestPausedWhileTakenOver(t *testing.T) {
	screen, other := newFakeScreen(), newFakeScreen()
	v := serve(t)
	want := func(what, says string) {
		t.Helper()
		why := v.Paused(calls.Action{Who: calls.Who{Session: "stdio-1"}, Where: calls.Where{Tab: 1}})
		if (why == "") != (says == "") || !strings.Contains(why, says) || (why != "") != v.paused().allTabs()[1] {
			t.Errorf("%s: %q, want %q", what, why, says)
		}
	}
	v.takeOver(screen, 1, false)
	want("without a pause", "")
	v.takeOver(screen, 2, true)
	want("another tab", "")
	screen.over()
	v.takeOver(screen, 1, true)
	want("with one", "the user operates tab 1")
	other.taken = true
	v.takeOver(other, 1, true)
	want("which another viewer wants in vain", "the user operates tab 1")
	first := screen.over
	screen.taken = true
	v.takeOver(screen, 1, true)
	want("which the same viewer wants twice", "the user operates tab 1")
	screen.taken = false
	v.takeOver(screen, 1, true)
	first()
	want("which ends as the next begins", "the user operates tab 1")
	screen.over()
	want("given back", "")
	<-screen.did
	<-screen.did
	<-screen.did
	<-screen.did
	<-screen.did
	v.takeOver(screen, 1, true)
	v.pause(func(p *paused) { p.tab(1, true) })
	screen.over()
	want("paused besides", "the user has paused tab 1")
	v.pause(func(p *paused) { p.tab(1, false) })
	v.takeOver(screen, 1, true)
	v.pause(func(p *paused) { p.tab(1, false) })
	want("let go on while it is taken over", "")
}

// TestSessionEndsItsStreams: a browser whose place another one has taken is told nothing any more.
func TestSessionEndsItsStreams(t *testing.T) {
	screen := newFakeScreen()
	v := serve(t)
	v.screens <- screen
	v.enter()
	v.open()
	l := v.look(t)
	l.next(t)
	for range maxSessions {
		v.enter()
	}
	<-screen.closed
}

// TestPictureEnds: who looks is told why there is nothing to see.
func TestPictureEnds(t *testing.T) {
	v := serve(t)
	v.enter()
	if is := v.look(t).next(t); !is.Over || is.Hidden != "This tab is not open." {
		t.Errorf("no tab: %+v", is)
	}
	v.open()
	if is := v.look(t).next(t); !is.Over || !strings.Contains(is.Hidden, "no screen") {
		t.Errorf("the hub can't: %+v", is)
	}
	screen := newFakeScreen()
	v.screens <- screen
	l := v.look(t)
	l.next(t)
	close(screen.shows)
	if is := l.next(t); !is.Over || !strings.Contains(is.Hidden, "the tab was closed") {
		t.Errorf("its end: %+v", is)
	}
	<-screen.closed
	for range maxScreens {
		v.screens <- newFakeScreen()
		v.look(t).next(t)
	}
	if is := v.look(t).next(t); !is.Over || !strings.Contains(is.Hidden, "Too many") {
		t.Errorf("too many: %+v", is)
	}
}
