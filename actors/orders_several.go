package actors

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"webmcphub/actors/supervisor"
	"webmcphub/registry"
)

// firstOf tries to reach all these browsers and returns the first that is connected, or the errors of all. The hub
// still tries to reach the others after that.
func (h *Hub) firstOf(ctx context.Context, all []*dialledBrowser, reach supervisor.Order) (BrowserInfo, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		place int
		info  BrowserInfo
		err   error
	}
	answers := make(chan answer, len(all)) // so that later answers don't block
	for i, c := range all {
		go func() {
			a, err := h.send(ctx, c.pid, reach)
			answers <- answer{i, a.Info, err}
		}()
	}
	failures := make([]error, len(all))
	for range all {
		a := <-answers
		if a.err == nil {
			return a.info, nil
		}
		failures[a.place] = all[a.place].wrap(a.err)
	}
	return BrowserInfo{}, errors.Join(failures...)
}

// openInChrome opens a tab in the browser of the page beside which the tab should be, if that browser is among at.In,
// or else in the first of these browsers that is connected; nil means all browsers. It skips browsers whose own rules
// for sites don't permit the address for which the tab opens.
func (h *Hub) openInChrome(ctx context.Context, open supervisor.Order,
	at registry.NewTab) (a supervisor.Answer, err error) {
	all, err := permitting(h.dialled.among(at.In), cmp.Or(at.For, at.URL))
	if err != nil {
		return a, err
	}
	if beside := h.address(open.Page); beside != nil {
		slices.SortStableFunc(all, func(c, d *dialledBrowser) int {
			switch beside.Supervisor {
			case c.pid:
				return -1
			case d.pid:
				return 1
			}
			return 0
		})
	}
	err = supervisor.ErrNoBrowser
	for i, c := range all {
		if at.May != nil {
			open.May = func() error { return at.May(c.Name) }
		}
		if a, err = h.send(ctx, c.pid, open); err == nil {
			return a, nil
		}
		if err = c.wrap(err); !errors.Is(err, supervisor.ErrNoBrowser) || i == len(all)-1 {
			return a, err
		}
	}
	return a, err
}

// permitting returns the browsers whose own rules for origins permit an address. It returns an error if none does.
func permitting(all []*dialledBrowser, address string) ([]*dialledBrowser, error) {
	var may []*dialledBrowser
	why := ""
	for _, c := range all {
		if c.Origins.KeptOut(address) == nil {
			may = append(may, c)
		} else {
			why = c.Name + ": " + c.Origins.Refusal("", address)
		}
	}
	if len(may) == 0 && why != "" {
		return nil, errors.New("the rules for sites of no browser that will do permit the address; " + why)
	}
	return may, nil
}

// reachWait is how long openWhenReached waits for a browser that is still being reached.
const reachWait = 10 * time.Second

// openWhenReached opens a tab in one of the named browsers as soon as one of them is connected. A client can ask for a
// tab before that, because other browsers of the hub may be connected already. openWhenReached doesn't try to reach
// browsers that the hub reaches only on request.
func (h *Hub) openWhenReached(ctx context.Context, open supervisor.Order,
	at registry.NewTab) (supervisor.Answer, error) {
	a, err := h.openInChrome(ctx, open, at)
	all := slices.DeleteFunc(slices.Clone(h.dialled.among(at.In)), func(c *dialledBrowser) bool { return c.Lazy })
	if at.In == nil || len(all) == 0 || !errors.Is(err, supervisor.ErrNoBrowser) {
		return a, err
	}
	reach, cancel := context.WithTimeout(ctx, reachWait)
	defer cancel()
	if _, late := h.firstOf(reach, all, supervisor.Order{Does: supervisor.ReachBrowser}); late != nil {
		return a, err
	}
	return h.openInChrome(ctx, open, at)
}

// titlesOfAll asks all browsers at once. If one doesn't answer, only its own titles are missing.
func (h *Hub) titlesOfAll(ctx context.Context, all []*dialledBrowser,
	list supervisor.Order) (map[registry.PageID]registry.Title, error) {
	type answer struct {
		titles map[registry.PageID]registry.Title
		err    error
	}
	answers := make(chan answer, len(all))
	for _, c := range all {
		go func() {
			a, err := h.send(ctx, c.pid, list)
			answers <- answer{a.Titles, c.wrap(err)}
		}()
	}
	titles := map[registry.PageID]registry.Title{}
	var failures []error
	for range all {
		a := <-answers
		maps.Copy(titles, a.titles)
		if a.err != nil && !errors.Is(a.err, supervisor.ErrNoBrowser) {
			failures = append(failures, a.err)
		}
	}
	return titles, errors.Join(failures...)
}

// Ping checks whether the browser of the given name, on a debugging port, answers a command. It returns when the
// browser has answered, or an error that says why it didn't: [ErrNoBrowser] if the browser isn't connected.
func (h *Hub) Ping(ctx context.Context, browser string) error {
	c := h.dialled.find(browser)
	if c == nil {
		return notConnected{browser}
	}
	_, err := h.send(ctx, c.pid, supervisor.Order{Does: supervisor.ListTitles})
	return c.wrap(err)
}
