package page

import (
	"context"
	"errors"
	"slices"
	"time"

	"webmcphub/cdpclient"
)

// slowSetup is how long [Page.Setup] waits for frames once the tab's own session has answered.
const slowSetup = 500 * time.Millisecond

// setup is a command that is sent to all of the page's sessions, including later ones.
type setup struct {
	method  string
	params  any
	pending map[*session]struct{} // the sessions that haven't answered
	err     error                 // the refusal of the tab's own session; a frame's refusal is ignored
}

// Enable enables a CDP domain, such as "Network", in all of the page's sessions, including later ones. It waits for
// the present sessions. If the domain is already enabled, it sends nothing.
func (p *Page) Enable(ctx context.Context, domain string) error {
	return p.Setup(ctx, domain+".enable", nil)
}

// Setup sends a command to all of the page's sessions, and to later sessions before their documents run. A second
// call with the same method and other params replaces the first call; with nil params, the first call stays in force.
// Only a refusal by the tab's own session is an error.
//
// Setup waits for the tab's own session, and for a moment for sessions of frames that aren't [Frame].Late. A frame
// that is kept busy by a script gets the command before all later commands.
func (p *Page) Setup(ctx context.Context, method string, params any) error {
	var s *setup
	despite := despiteDialog(ctx)
	answered := func(frames bool) func(*owner) (bool, error) {
		return func(o *owner) (bool, error) {
			if s == nil {
				s = o.setUp(method, params)
			}
			waits := s.waits(o.tab, frames)
			switch {
			case s.err != nil:
				o.dropSetup(s)
				return true, s.err
			case waits && o.blocked(despite):
				return true, &DialogOpen{Dialog: *o.open}
			}
			return !waits, nil
		}
	}
	if err := p.await(ctx, answered(false)); err != nil {
		return err
	}
	some, cancel := context.WithTimeoutCause(ctx, slowSetup, errSlowFrame)
	defer cancel()
	err := p.await(some, answered(true))
	if errors.Is(err, errSlowFrame) {
		p.ask(func(o *owner) {
			for to := range s.pending {
				o.markLate(to)
			}
		})
		return nil
	}
	return err
}

var errSlowFrame = errors.New("a frame does not answer")

// waits says whether the tab's own session has yet to answer or, if frames is true, any session that isn't late.
func (s *setup) waits(tab *session, frames bool) bool {
	for to := range s.pending {
		if to == tab || frames && !to.late {
			return true
		}
	}
	return false
}

// setUp sends a command to the present sessions, unless they have had it.
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
	s := &setup{method: method, params: params, pending: map[*session]struct{}{}}
	o.setups = append(o.setups, s)
	for _, to := range o.sessions {
		s.pending[to] = struct{}{}
		o.post(to.id, method, params, func(r cdpclient.Reply) {
			delete(s.pending, to)
			if r.Err != nil && to == o.tab {
				s.err = r.Err
			}
		})
	}
	return s
}

func (o *owner) dropSetup(s *setup) {
	o.setups = slices.DeleteFunc(o.setups, func(other *setup) bool { return other == s })
}
