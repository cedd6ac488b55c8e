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

// Access is the connection by which one tab is reached.
type Access struct {
	Conn   *cdpclient.Conn
	Target string // the tab's target id on Conn
	// PageOf returns the hub's page id of another target of that browser. It is nil if the two ids are the same.
	PageOf func(target string) registry.PageID
	Gone   <-chan struct{} // closed when the tab is gone
	// Answered says that the hub itself answers the tab's dialogs at once. Mac says that the browser runs on a Mac,
	// where some key combinations differ.
	Answered, Mac bool
	Origins       *names.Origins // the rules for sites of this browser; nil means those of [Options]
	// Earlier returns the dialog that was already open before automation attached to the tab; it may be nil.
	Earlier func() (cdpclient.OpenDialog, bool)
}

// page returns the hub's page id of a target of that browser.
func (a Access) page(target string) registry.PageID {
	if a.PageOf == nil {
		return registry.PageID(target)
	}
	return a.PageOf(target)
}

// TabOwner is the client that opened or claimed a tab; the zero value means that no client did.
type TabOwner struct{ ID, Name string }

// tab is the service's entry for one tab: which clients use it and, once a tool has needed it, its open page.
type tab struct {
	id   registry.PageID
	seen *snapshot.Tab // the tab's uids, and what each client has seen of it

	// The service's lock guards these.
	owner  TabOwner
	in     ContextID // the browser context (cookies and storage) of the tab, once placed is true
	placed bool
	users  map[string]bool // the clients that use the tab

	emulated atomic.Bool // settings of the emulate tool are in force; set by the tools that change them
	listed   bool        // some catalog has listed the tab
	unused   *time.Timer // ends its use by clients without a session; may be nil

	// Whoever opens or closes the page holds turn, which guards the fields below.
	turn    chan struct{}
	opened  *opened
	lastIDs records.LastIDs // the last ids in the records of earlier pages of this tab
}

// opened is a tab in use, from when its page is opened until the page is closed or lost.
type opened struct {
	*page.Page
	tab      *tab
	rules    *names.Origins                      // which documents may be seen and operated
	pageOf   func(target string) registry.PageID // page ids of targets of the same browser
	records  *records.Records                    // what the page says and fetches
	input    *input.Tab                          // acts on its elements
	emulated *emulation.Page
	wakes    *sync.Once // lets only one call report that the page was loaded again
	crashed  bool       // the page had crashed before it was opened
}

// with returns the tab for one call, which sees and does only what the permit allows.
func (o *opened) with(permit page.Permit) *opened {
	own := *o
	own.Page = o.Page.With(permit)
	own.input = o.input.WithPage(own.Page)
	return &own
}

// free says whether the tab belongs to no client but this one. It is true for a nil t. The caller holds the service's
// lock.
func (t *tab) free(client string) bool {
	return t == nil || t.owner.ID == "" || t.owner.ID == client
}

// openTo returns the tab's page. It opens the page if it isn't open or was lost. A page that has crashed is opened
// again only if revives says so. A page that Chrome has discarded is loaded again only if load is true.
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
			t.lastIDs = t.opened.records.LastIDs()
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
	case !crashed: // Chrome may have discarded the page
		revives = page.Reloads
	}
	rules := cmp.Or(access.Origins, s.options.Origins)
	o := page.Options{Wake: revives, Permits: rules.PermitsOrigin, Helper: page.ActingScript(),
		Gone: access.Gone, Answered: access.Answered, Earlier: access.Earlier}
	kept := records.NewRecords(records.Bounds{}, t.lastIDs)
	kept.SetOptions(&o)
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
		wakes: new(sync.Once),
		input: input.New(at, access.Mac), emulated: emulation.New(rules.Permitting())}
	return t.opened, nil
}

// close closes the page, which switches off everything that automation had switched on there. If may is not nil,
// close calls it once no other goroutine opens the page, and closes the page only if may returns true.
func (t *tab) close(may func() bool) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.opened != nil && (may == nil || may()) {
		t.opened.Close()
		t.lastIDs = t.opened.records.LastIDs()
		t.opened = nil
	}
}
