package browser_test

import (
	"context"
	"testing"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/cdpclient"
)

// TestADialSaysWhatItWaitsFor: agents are told while it waits, and not any more when there is
// a browser.
func TestADialSaysWhatItWaitsFor(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t)
		h.Dialer.Says, h.Dialer.Hold = "waiting in a queue", make(chan struct{})
		h.Start()
		if got := h.Pub.Current().BrowserStatus(); got != "waiting in a queue" {
			t.Errorf("the status is %q", got)
		}
		h.Chrome.OpenPage(Shop).Register(Tool("add"))
		close(h.Dialer.Hold)
		h.Want("shop_test_page0_add")
		if got := h.Pub.Current().BrowserStatus(); got != "" {
			t.Errorf("the status is %q", got)
		}
	})
	SetDialStatus(t.Context(), "to nobody")
}

// TestQuitSaysWhy: a browser that is started on need isn't started again by itself, and agents
// are told why it went.
func TestQuitSaysWhy(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := Prepare(t, func(o *Options) {
			o.OnNeed = true
			d := o.Dialer
			o.Dialer = dialFunc(func(ctx context.Context) (cdpclient.Wire, error) {
				w, err := d.Dial(ctx)
				return takenAway{w}, err
			})
		})
		h.Start()
		if _, err := h.Connect(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		h.Chrome.Disconnect()
		h.Quiet()
		if got, want := h.Pub.Current().BrowserStatus(), "the grid took it away; the next call that needs a browser asks for another one"; got != want {
			t.Errorf("the status is %q, want %q", got, want)
		}
		if n := len(h.Dialer.Attempts()); n != 1 {
			t.Errorf("%d attempts", n)
		}
	})
}

// takenAway is a wire whose end says why.
type takenAway struct{ cdpclient.Wire }

func (w takenAway) Read() ([]byte, error) {
	msg, err := w.Wire.Read()
	if err != nil {
		err = cdpclient.Quit{Why: "the grid took it away"}
	}
	return msg, err
}
