package screencast

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/automation/input/keys"
	"webmcphub/automation/page"
	"webmcphub/internal/fakeclock"
	"webmcphub/registry/names"
)

func TestPlaceInThePicture(t *testing.T) {
	g := geometry{DeviceWidth: 800, DeviceHeight: 600}
	zoomed := geometry{DeviceWidth: 400, DeviceHeight: 800, PageScaleFactor: 2, OffsetTop: 80}
	for name, test := range map[string]struct {
		in   geometry
		x, y float64
		want point
		is   bool
	}{
		"the corner":           {g, 0, 0, point{0, 0}, true},
		"the middle":           {g, 0.5, 0.5, point{400, 300}, true},
		"the end":              {g, 1, 1, point{800, 600}, true},
		"zoomed":               {zoomed, 0.5, 0.5, point{100, 160}, true},
		"above the page":       {zoomed, 0.5, 0.05, point{}, false},
		"beside the picture":   {g, 1.01, 0.5, point{}, false},
		"before it":            {g, 0.5, -0.1, point{}, false},
		"nowhere":              {g, math.NaN(), 0.5, point{}, false},
		"no picture":           {geometry{}, 0.5, 0.5, point{}, false},
		"a picture of nothing": {geometry{DeviceWidth: math.NaN(), DeviceHeight: 1}, 0.5, 0.5, point{}, false},
	} {
		if got, is := test.in.at(test.x, test.y); is != test.is || is && got != test.want {
			t.Errorf("%s: %v %v", name, got, is)
		}
	}
}

func TestInputIsBounded(t *testing.T) {
	for _, good := range []string{
		`[]`, `[{"kind":"down","x":0.5,"y":0.5,"button":"left","clicks":2,"modifiers":15}]`, `[{"kind":"wheel","x":1,"y":1,"dy":-300}]`,
		`[{"kind":"key","key":"Enter"},{"kind":"key","key":"é"},{"kind":"text","text":"pasted"}]`,
	} {
		if _, err := decode([]byte(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"kind":"key","key":"a"},`, maxEvents+1), ",") + "]"
	for _, bad := range []string{
		``, `{}`, many, `[{"kind":"eat"}]`, `[{"kind":"down","button":"fourth"}]`, `[{"kind":"up","button":"left","clicks":4}]`, `[{"kind":"move","button":"left","modifiers":16}]`,
		`[{"kind":"wheel","dy":1e9}]`, `[{"kind":"key","key":"NoSuchKey"}]`, `[{"kind":"text"}]`, `[{"kind":"text","text":"` + strings.Repeat("x", maxText+1) + `"}]`,
	} {
		if all, err := decode([]byte(bad)); err == nil {
			t.Errorf("%.80s: %v", bad, all)
		}
	}
}

func TestCommands(t *testing.T) {
	at := point{10, 20}
	down := event{Kind: "down", Button: "left"}.mouse(at, 0)
	if down["type"] != "mousePressed" || down["clickCount"] != 1 || down["buttons"] != 1 || down["x"] != 10.0 {
		t.Error(down)
	}
	if up := (event{Kind: "up", Button: "left", Clicks: 2}).mouse(at, 1); up["type"] != "mouseReleased" || up["clickCount"] != 2 || up["buttons"] != 0 {
		t.Error(up)
	}
	texts := func(e event) (said []string) {
		for _, k := range e.chord().Events(1, false) {
			said = append(said, k.Type+" "+k.Key+" "+k.Text)
		}
		return said
	}
	for _, test := range []struct {
		is   event
		want []string
	}{
		{event{Key: "A", Modifiers: keys.Shift}, []string{"rawKeyDown Shift ", "keyDown A A", "keyUp A ", "keyUp Shift "}},
		{event{Key: "a", Modifiers: keys.Control}, []string{"rawKeyDown Control ", "rawKeyDown a ", "keyUp a ", "keyUp Control "}},
		{event{Key: "é"}, []string{"keyDown é é", "keyUp é "}},
	} {
		if got := texts(test.is); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.is.Key, got)
		}
	}
}

// TestATabIsNobodysForLong: who does nothing loses it after two minutes, and not before.
func TestATabIsNobodysForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		touched, gone := make(chan struct{}), make(chan struct{})
		began := time.Now()
		over := make(chan error, 1)
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		why := func() error { return errors.New("closed") }
		go func() { over <- keep(ctx, touched, gone, why) }()
		fakeclock.Elapse(Idle - time.Second)
		touched <- struct{}{}
		if err := <-over; err != errIdle || time.Since(began) != 2*Idle-time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		go func() { over <- keep(ctx, touched, gone, why) }()
		close(gone)
		if err := <-over; err.Error() != "closed" {
			t.Error(err)
		}
		go func() { over <- keep(ctx, touched, nil, why) }()
		cancel(errGivenBack)
		if err := <-over; err != errGivenBack {
			t.Error(err)
		}
	})
}

func TestWhatIsKeptOut(t *testing.T) {
	rules, err := names.ParseOrigins(nil, []string{"https://bank.example"})
	if err != nil {
		t.Fatal(err)
	}
	own := (*names.Origins)(nil).WithOwn(names.NewOwn("8809"))
	main := func(url, origin string) page.Frame {
		return page.Frame{URL: url, Origin: origin, Permitted: rules.PermitsOrigin(origin)}
	}
	inner := main("https://bank.example/x", "https://bank.example")
	inner.Parent = "main"
	for name, test := range map[string]struct {
		rules *names.Origins
		frame page.Frame
		why   string
	}{
		"a page":             {rules, main("https://shop.example/", "https://shop.example"), ""},
		"one kept out":       {rules, main("https://bank.example/", "https://bank.example"), "not for agents"},
		"one in a frame":     {rules, inner, "frame of https://bank.example"},
		"the hub's own page": {own, page.Frame{URL: "http://127.0.0.1:8809" + names.LivePath + "x/", Origin: "http://127.0.0.1:8809", Permitted: true}, "the hub's own"},
		"another server's":   {own, page.Frame{URL: "http://127.0.0.1:8810/", Origin: "http://127.0.0.1:8810", Permitted: true}, ""},
	} {
		if got := refused(test.rules, test.frame); (got == "") != (test.why == "") || !strings.Contains(got, test.why) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
