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

func (o *owner) tell(e cdpclient.Event) {
	for _, s := range o.subs[e.Method] {
		if !s.over.Load() {
			s.handle(e)
		}
	}
}
