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

// Subscribe has handle called with the events of these methods, of all the page's
// sessions, from those on that come after this call. It is called on the page's own
// goroutine, in the order of the wire and after the page has taken note of the event
// itself, and must not block. It isn't begun any more once cancel has returned. Events
// come only of domains that are on; see [Page.Enable].
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

func (o *owner) tell(e cdpclient.Event) {
	for _, s := range o.subs[e.Method] {
		if !s.over.Load() {
			s.handle(e)
		}
	}
}
