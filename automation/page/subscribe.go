package page

import (
	"slices"
	"sync/atomic"

	"webmcphub/cdpclient"
)

type subscription struct {
	handle func(cdpclient.Event)
	over   atomic.Bool
}

// Subscribe calls handle with events of the given methods, from all of the page's sessions, beginning with events
// that arrive after this call. handle is called on the page's own goroutine, in the order of arrival, after the page
// has processed the event itself; it must not block. Once cancel has returned, no new call of handle begins. Chrome
// sends only events of domains that are enabled; see [Page.Enable].
func (p *Page) Subscribe(handle func(cdpclient.Event), methods ...string) (cancel func()) {
	s := &subscription{handle: handle}
	p.ask(func(o *owner) {
		for _, m := range methods {
			o.subs[m] = append(o.subs[m], s)
		}
	})
	return func() {
		s.over.Store(true)
		p.ask(func(o *owner) {
			for _, m := range methods {
				o.subs[m] = slices.DeleteFunc(o.subs[m], func(other *subscription) bool { return other == s })
			}
		})
	}
}

// Next returns a channel that gets the next event of one of the methods; see [Page.Subscribe]. Further events are
// dropped until that one is taken.
func (p *Page) Next(methods ...string) (event <-chan cdpclient.Event, cancel func()) {
	next := make(chan cdpclient.Event, 1)
	return next, p.Subscribe(func(e cdpclient.Event) {
		select {
		case next <- e:
		default:
		}
	}, methods...)
}

func (o *owner) tell(e cdpclient.Event) {
	for _, s := range o.subs[e.Method] {
		if !s.over.Load() {
			s.handle(e)
		}
	}
}
