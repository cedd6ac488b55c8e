package browsers

import (
	"context"
	"net"
	"testing"
	"time"

	"webmcphub/actors"
	"webmcphub/registry"
)

type nobody struct{}

func (nobody) Apply([]registry.Effect) {}

// silent takes connections and says nothing; taken is closed at the first.
func silent(t *testing.T) (address string, taken <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			if n == 0 {
				close(first)
			}
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-over
	})
	return l.Addr().String(), first
}

// TestHungEndpointIsTakenOut: one that takes connections and says nothing keeps neither the
// browsers that come after it nor the hub's end.
func TestHungEndpointIsTakenOut(t *testing.T) {
	within := func(what string, done <-chan struct{}) {
		t.Helper()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("a minute later, " + what)
		}
	}
	for _, scheme := range []string{"ws://", "wss://", "http://"} {
		hung, dialled := silent(t)
		next, reached := silent(t)
		browsers := func(address string) []actors.BrowserOptions {
			all, err := List{{URL: scheme + address, Direct: scheme != "http://"}}.named(false)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		h := actors.Start(actors.Options{Browsers: browsers(hung), Publisher: nobody{}, Registry: registry.Options{MaxName: 60, MaxTools: 10, MaxPages: 10}})
		within("it was not dialled", dialled)
		set := make(chan struct{})
		go func() {
			defer close(set)
			h.SetBrowsers(browsers(next))
		}()
		within("it is not taken out", set)
		within("the next was not dialled", reached)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if err := h.Stop(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}
