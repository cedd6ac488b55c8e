package tab

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"golang.org/x/time/rate"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// ReleaseTimeout bounds each wait for a page from which the hub detaches, and each wait for news of a tab.
const ReleaseTimeout = 500 * time.Millisecond

// Policy says how pages are treated.
type Policy struct {
	// Explicit leaves pages alone until a caller asks to connect them.
	Explicit bool
	// CallTimeout is how long callers wait for a tool; 0 means that it isn't known. The hub tells it to extensions.
	CallTimeout time.Duration
	// Introspect makes tools from what the user sees ([offer.DOM]) for pages that have no tools of their own.
	Introspect bool
	// LegacyModelContext gives pages navigator.modelContext, before their first script runs. Earlier drafts of WebMCP
	// had that name for document.modelContext.
	LegacyModelContext bool
	// Dialogs says what the hub does about pages' alert, confirm and prompt dialogs; "" means [ReportDialogs].
	Dialogs DialogPolicy
	// PageRequests carries out what a page's own MCP server asks of the agent: sampling, elicitation, roots. It is
	// called from any goroutine and must return soon after ctx has ended. Its errors should be [registry.PageError]s.
	// If it is nil, the hub tells pages that it supports none of these.
	PageRequests func(ctx context.Context, r offer.PageRequest) (json.RawMessage, error)
	// PageRoots tells pages that they may ask for roots.
	PageRoots bool
}

// DialogPolicy says what the hub does about dialogs that pages open.
type DialogPolicy string

// The dialog policies. "" means ReportDialogs.
const (
	ReportDialogs  DialogPolicy = "report"  // the hub leaves them to the user
	DismissDialogs DialogPolicy = "dismiss" // the hub cancels confirm and prompt
	AcceptDialogs  DialogPolicy = "accept"  // the hub accepts; a prompt gets the text that the page proposes
)

// Env has what all tabs of a browser share. All of it except Origins is the same for all browsers of a hub. It doesn't
// change.
type Env struct {
	Policy
	Origins  *names.Origins // which documents may have tools
	Root     *actor.RootContext
	Registry *actor.PID
	Log      *slog.Logger
	*Switches
}

// Switches are the settings of an Env that change while the hub runs.
type Switches struct {
	Fronts   atomic.Bool            // the hub watches which tab the user brings to the front
	LogLevel atomic.Pointer[string] // the log level of pages' servers; nil until a client asks for one
}

// Birth has what a tab's actor needs at its start.
type Birth struct {
	Info
	ID          registry.PageID
	Epoch       registry.Epoch // higher than the epochs of earlier actors of the page
	Wanted      bool           // the hub is to be attached to the page
	Session     any            // the session that came with the tab; nil if none did
	Address     *Address
	FlowControl *FlowControl
}

// Doc describes the page's main document.
type Doc struct {
	Gen          registry.Gen
	URL, Title   string
	pendingInfo  Info   // the latest title, while it belongs to another address
	titlePending bool   // the browser hasn't yet answered which title the document has
	Origin       string // as the browser reports it; "" while that isn't known
	Dialog       string // as registry.PageChanged.Dialog
	Failure      string // as registry.PageChanged.State if the document did not load, else ""
	Arrived      bool   // as registry.PageChanged.Arrived
}

// Tab is the actor of one tab. It has the tab's phase, what it has reported to the registry, and the calls in flight.
// A [Link] embeds it.
type Tab struct {
	ID    registry.PageID
	Log   *slog.Logger
	Doc   Doc
	Calls map[*Call]bool

	env     *Env
	epoch   registry.Epoch
	address *Address
	flow    *FlowControl
	link    Link
	lifecycle
	reports reports
	lastGen registry.Gen // the generation of the newest document of any frame
	hurdle  *string      // see [Call.Hurdle]; nil if there is none
}

// lifecycle has the tab's phase and what depends on it.
type lifecycle struct {
	phase   Phase
	entered int           // how many phases the tab has entered
	limit   *time.Timer   // the timer that ends this phase; nil if it has none
	row     *row          // the row of the table that is being carried out
	wanted  bool          // the hub is to be attached to the page
	waiting []func(error) // called when the session is there or there will be none
	session any           // the session that came with the tab, until the tab has started
	end     End           // how the tab ended, once that is known
}

var (
	// ErrClosed says that the tab that an order is about is gone.
	ErrClosed = errors.New("the tab was closed meanwhile")

	errDisconnected = errors.New("the page was disconnected meanwhile")
)

// New returns a tab. Its caller then calls Use to set the link.
func New(env *Env, b Birth) *Tab {
	return &Tab{
		ID:        b.ID,
		Log:       env.Log.With("page", b.ID),
		Doc:       Doc{URL: b.URL, Title: b.Title},
		Calls:     map[*Call]bool{},
		env:       env,
		epoch:     b.Epoch,
		address:   b.Address,
		flow:      b.FlowControl,
		lifecycle: lifecycle{wanted: b.Wanted, session: b.Session},
		reports:   reports{limit: rate.NewLimiter(rate.Every(ReportInterval), reportBurst)},
		// Late reports of earlier actors, and routes to their documents, have lower generations.
		lastGen: b.Epoch.FirstGen(),
	}
}

// Use sets the tab's link and the generation of its document. It is called before the actor is spawned.
func (t *Tab) Use(l Link, gen registry.Gen) { t.link, t.Doc.Gen = l, gen }

// Link returns the link by which the page is reached.
func (t *Tab) Link() Link { return t.link }

// Env returns what the tab shares with all other tabs.
func (t *Tab) Env() *Env { return t.env }

// FlowControl returns what bounds the tab's mailbox.
func (t *Tab) FlowControl() *FlowControl { return t.flow }

// To returns the address by which others reach the tab.
func (t *Tab) To() *Address { return t.address }

// Phase returns the tab's phase.
func (t *Tab) Phase() Phase { return t.phase }

// NewGen returns a new generation for the next document, of any frame. LastGen returns that of the newest document.
func (t *Tab) NewGen() registry.Gen {
	t.lastGen++
	return t.lastGen
}

func (t *Tab) LastGen() registry.Gen { return t.lastGen }

// Send puts a message at the end of the tab's own mailbox. Any goroutine may call it.
func (t *Tab) Send(m any) { t.env.Root.Send(t.address.PID, m) }

// After does the same as Send after the time d.
func (t *Tab) After(d time.Duration, m any) *time.Timer {
	if d > 0 {
		root, to := t.env.Root, t.address.PID // don't keep the tab, which may be gone by then
		return time.AfterFunc(d, func() { root.Send(to, m) })
	}
	t.Send(m)
	return nil
}

// Receive handles one message. It never blocks.
func (t *Tab) Receive(ctx actor.Context) {
	message := ctx.Message()
	t.link.Took(message)
	t.dispatch(message)
}

// dispatch finds out which event a message is, and carries out its row of the table.
func (t *Tab) dispatch(message any) {
	switch m := message.(type) {
	case *actor.Started:
		t.step(started, m)
	case *actor.Stopping, *actor.Stopped:
	case Wanted:
		if m.On {
			t.step(wanted, m)
		} else {
			t.step(unwanted, m)
		}
	case Offered:
		t.step(offered, m)
	case AttachFailed:
		t.step(attachFailed, m)
	case TargetCrashed:
		t.step(targetCrashed, m)
	case TitleListed:
		t.step(titleListed, m)
	case infoChanged:
		if info := t.flow.info.Swap(nil); info != nil {
			t.step(targetChanged, *info)
		}
	case Resync:
		t.step(resynced, m)
	case End:
		t.step(gone, m)
	case StartCall:
		t.step(called, m)
	case CancelCall:
		t.step(cancelled, m)
	case Question:
		t.step(asked, m)
	case reportDue:
		t.step(reportsDue, m)
	case namedAll:
		t.step(callsNamed, m)
	case phaseOverdue:
		if m.entered == t.entered {
			t.step(overdue, m)
		}
	default:
		t.step(other, m)
	}
}

// hear passes a message to the link. When no call waits for its name any more, hear lets the tab detach or close.
func (t *Tab) hear(m any) {
	t.link.Handle(m)
	if (t.phase == Detaching || t.phase == Closing) && !t.link.Naming() {
		t.Send(namedAll{})
	}
}

func (t *Tab) hearUnattached(m any) { t.link.HandleUnattached(m) }

// Failed is called when a message handler has panicked. What the tab knows of its page can't be trusted afterwards.
func (t *Tab) Failed(_ actor.Context, message any) {
	t.step(panicked, message)
	switch m := message.(type) { // somebody waits for an answer
	case Wanted, Offered, Question:
		t.dispatch(m)
	}
}

func (t *Tab) fail(m any) {
	if _, last := m.(End); last {
		t.abandon(m)
		return
	}
	t.become(Failed)
	if t.session != nil { // the panic came before the tab could take the session
		t.link.TurnDown(t.session)
	}
	t.env.Root.Send(t.address.Supervisor, ActorFailed{t.ID, t.address})
}
