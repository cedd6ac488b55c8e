package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/automation/emulation"
	"webmcphub/automation/input"
	"webmcphub/automation/page"
	"webmcphub/automation/records"

	"webmcphub/automation/snapshot"
	"webmcphub/cdpclient"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Access is a way to one tab over the debugging port.
type Access struct {
	Conn   *cdpclient.Conn
	Target string // the tab's id there
	// PageOf is the hub's id of another tab of that browser; nil where both are the same.
	PageOf func(target string) registry.PageID
	Gone   <-chan struct{} // closed when the tab is
	// Answered says that the hub itself answers its dialogs at once, and Mac that the
	// browser runs on a Mac, which has other keys.
	Answered, Mac bool
	Origins       *names.Origins // those of [Options] where it is nil, for this browser
	// Earlier says which dialog was open before automation came; may be nil.
	Earlier func() (page.EarlierDialog, bool)
}

// page is the hub's id of a tab of that browser.
func (a Access) page(target string) registry.PageID {
	if a.PageOf == nil {
		return registry.PageID(target)
	}
	return a.PageOf(target)
}

// Owner is the client that opened or claimed a tab; the zero value is nobody.
type Owner struct{ ID, Name string }

// tab is what the service keeps of one tab: who uses it, and the way to its page once
// a tool needed that.
type tab struct {
	id   registry.PageID
	seen *snapshot.Tab // its uids, and what clients saw of it

	// The service's lock guards these.
	owner  Owner
	in     ContextID // the context of cookies and storage that it is in, once placed
	placed bool
	users  map[string]bool // clients

	emulated atomic.Bool // its page sees other conditions; set by whoever changes them
	listed   bool        // a catalog had it
	unused   *time.Timer // ends the use of it by clients without a session; may be nil

	// turn is held by who opens or closes the page; it guards these.
	turn   chan struct{}
	opened *opened
	given  records.Given // by the records of the pages that were opened before
}

// opened is a tab in use, from when its page is opened until it is closed or lost.
type opened struct {
	*page.Page
	tab      *tab
	rules    *names.Origins                      // which documents may be seen and operated
	pageOf   func(target string) registry.PageID // tabs of the same browser
	records  *records.Records                    // what the page says and fetches
	input    *input.Tab                          // acts on its elements
	emulated *emulation.Page
	wakes    sync.Once // by whom the page's being loaded again is told
	crashed  bool      // it had, before that
}

// free says whether a tab belongs to no other client. The service's lock is held; nil is nobody's.
func (t *tab) free(client string) bool {
	return t == nil || t.owner.ID == "" || t.owner.ID == client
}

// openTo gives the tab's page, opening it when it is first used or was lost. One that has crashed is opened again only if the call revives it, and one that Chrome
// has discarded only if it may be loaded.
func (t *tab) openTo(ctx context.Context, s *Service, revives page.Wake, load bool) (*opened, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	crashed := false
	if t.opened != nil {
		select {
		case <-t.opened.Done():
			t.given = t.opened.records.Given()
			var ended *page.Ended
			crashed = errors.As(t.opened.Err(), &ended) && ended.Why == page.Crashed
		default:
			return t.opened, nil
		}
	}
	access, err := s.options.Browser.Debug(t.id)
	if err != nil {
		return nil, err
	}
	switch {
	case !load:
		revives = page.Stays
	case !crashed: // it may have been discarded
		revives = page.Reloads
	}
	rules := cmp.Or(access.Origins, s.options.Origins)
	o := page.Options{Wake: revives, Permits: rules.PermitsOrigin, Helper: page.ActingScript(), Log: s.log,
		Gone: access.Gone, Answered: access.Answered, Earlier: access.Earlier}
	kept := records.NewRecords(records.Bounds{}, t.given)
	kept.Hear(&o)
	at, err := page.Open(ctx, access.Conn, access.Target, o)
	if err != nil {
		return nil, fmt.Errorf("the page can't be operated: %w", err)
	}
	if err := kept.Attach(ctx, at); err != nil {
		at.Close()
		return nil, fmt.Errorf("what the page does can't be recorded: %w", err)
	}
	t.emulated.Store(false)
	t.opened = &opened{Page: at, tab: t, rules: rules, pageOf: access.page, crashed: crashed, records: kept,
		input: input.New(at, access.Mac), emulated: emulation.New(rules.Permitting())}
	return t.opened, nil
}

// close lets go of the page, and with that switches off whatever it needed. If may is
// not nil it is asked once no other goroutine is opening the page.
func (t *tab) close(may func() bool) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.opened != nil && (may == nil || may()) {
		t.opened.Close()
		t.given = t.opened.records.Given()
		t.opened = nil
	}
}
