package page

import (
	"context"

	"webmcphub/cdpclient"
)

// setup is a command that all of the page's sessions get, later ones too.
type setup struct {
	method string
	params any
	asked  int   // sessions that haven't answered
	err    error // of the tab's own session; frames may refuse
}

// Enable switches a domain on ("Network") in all of the page's sessions, those that
// come later too. It waits for the present ones; if the domain is on, it costs nothing.
func (p *Page) Enable(ctx context.Context, domain string) error {
	return p.Setup(ctx, domain+".enable", nil)
}

// Setup sends a command to all of the page's sessions, and to later ones before their
// documents run. A second call with the same method and other params replaces the
// first; with nil, the first stands. Only a refusal by the tab's own session is an error.
func (p *Page) Setup(ctx context.Context, method string, params any) error {
	var s *setup
	despite := despiteDialog(ctx)
	return p.await(ctx, func(o *owner) (bool, error) {
		if s == nil {
			s = o.setUp(method, params)
		}
		switch {
		case s.err != nil:
			o.dropSetup(s)
			return true, s.err
		case s.asked > 0 && o.blocked(despite):
			return true, &DialogOpen{Dialog: *o.open}
		}
		return s.asked == 0, nil
	})
}

// setUp sends a command to the present sessions, unless they have it.
func (o *owner) setUp(method string, params any) *setup {
	for i, s := range o.setups {
		if s.method == method {
			if params == nil {
				return s
			}
			o.setups = append(o.setups[:i:i], o.setups[i+1:]...)
			break
		}
	}
	s := &setup{method: method, params: params}
	o.setups = append(o.setups, s)
	for _, to := range o.sessions {
		s.asked++
		o.post(to.id, method, params, func(r cdpclient.Reply) {
			s.asked--
			if r.Err != nil && to == o.tab {
				s.err = r.Err
			}
		})
	}
	return s
}

func (o *owner) dropSetup(s *setup) {
	for i, other := range o.setups {
		if other == s {
			o.setups = append(o.setups[:i:i], o.setups[i+1:]...)
			return
		}
	}
}
