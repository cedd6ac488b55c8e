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

// ReleaseTimeout bounds each wait for a page that is let go of, and for word of a tab.
const ReleaseTimeout = 500 * time.Millisecond

// Policy is how pages are treated.
type Policy struct {
	// Explicit leaves pages alone until a caller asks for them to be connected.
	Explicit bool
	// CallTimeout is how long callers wait for a tool, which extensions are
	// told; 0 is not known.
	CallTimeout time.Duration
	// Introspect gives pages that have no tools of their own some that are made
	// from what their user sees ([offer.DOM]).
	Introspect bool
	// LegacyModelContext gives pages navigator.modelContext, the name that
	// earlier drafts of WebMCP had for document.modelContext, before their first script.
	LegacyModelContext bool
	// Dialogs says what becomes of pages' alert, confirm and prompt boxes; ""
	// means [ReportDialogs].
	Dialogs DialogPolicy
	// PageRequests carries out what a page's own MCP server asks of the agent:
	// sampling, elicitation, roots. It is called from any goroutine and must
	// return soon after ctx has ended. Errors should be [registry.PageError]s.
	// If it is nil, pages are told that there is nothing of the kind.
	PageRequests func(ctx context.Context, r offer.PageRequest) (json.RawMessage, error)
	// PageRoots says that pages may ask for roots: they are told so.
	PageRoots bool
}

// DialogPolicy says what becomes of the dialogs that pages open.
type DialogPolicy string

// The policies. ReportDialogs is that of "" too.
const (
	ReportDialogs  DialogPolicy = "report"  // left to the user
	DismissDialogs DialogPolicy = "dismiss" // confirm and prompt are cancelled
	AcceptDialogs  DialogPolicy = "accept"  // prompt gets the text that the page proposes
)

// Env is what all tabs of a browser share, and but for Origins those of a hub. It is fixed.
type Env struct {
	Policy
	Origins  *names.Origins // which documents may have tools
	Root     *actor.RootContext
	Registry *actor.PID
	Log      *slog.Logger
	*Switches
}

// Switches are what of it changes while the hub runs.
type Switches struct {
	Fronts   atomic.Bool            // the user's switching of tabs is watched
	LogLevel atomic.Pointer[string] // of pages' servers; nil until a client asks for one
}

// Birth is what a tab begins with.
type Birth struct {
	Info
	ID      registry.PageID
	Epoch   registry.Epoch // those of the page's actors before were lower
	Wanted  bool           // the hub is to be attached
	Session any            // that came with the tab, nil for none
	Address *Address
	Intake  *Intake
}

// Doc is the page's main document.
type Doc struct {
	Gen        registry.Gen
	URL, Title string
	said       Info   // the latest title, while it is of another address
	untold     bool   // the browser has yet to answer what the document's title is
	Origin     string // as the browser says, "" while that isn't known
	Dialog     string // as registry.PageChanged.Dialog
	Failure    string // as registry.PageChanged.State where the document did not load, else ""
	Arrived    bool   // as registry.PageChanged.Arrived
}

// A Tab is the actor of one tab, by whichever link its page is reached: its
// phase, what the registry is told, and the calls in flight. A link embeds it.
type Tab struct {
	ID    registry.PageID
	Log   *slog.Logger
	Doc   Doc
	Calls map[*Call]bool

	env     *Env
	epoch   registry.Epoch
	address *Address
	intake  *Intake
	link    Link
	lifecycle
	reports reports
	lastGen registry.Gen // counts documents of all frames
	hurdle  *string      // see Call.Hurdle
}

// lifecycle is the tab's phase and what depends on it.
type lifecycle struct {
	phase   Phase
	entered int           // counts phases
	limit   *time.Timer   // of this phase, nil if it has none
	row     *row          // being carried out
	wanted  bool          // the hub is to be attached
	waiting []func(error) // who waits for the session
	session any           // that came with the tab, until it has started
	end     End           // once it is known
}

var (
	// ErrClosed says that the tab of an order is gone.
	ErrClosed = errors.New("the tab was closed meanwhile")

	errDisconnected = errors.New("the page was disconnected meanwhile")
)

// New makes a tab. Its link is set by Use.
func New(env *Env, b Birth) *Tab {
	return &Tab{
		ID:        b.ID,
		Log:       env.Log.With("page", b.ID),
		Doc:       Doc{URL: b.URL, Title: b.Title},
		Calls:     map[*Call]bool{},
		env:       env,
		epoch:     b.Epoch,
		address:   b.Address,
		intake:    b.Intake,
		lifecycle: lifecycle{wanted: b.Wanted, session: b.Session},
		reports:   reports{limit: rate.NewLimiter(rate.Every(ReportInterval), reportBurst)},
		// Neither late reports of earlier actors nor routes to their documents count.
		lastGen: b.Epoch.FirstGen(),
	}
}

// Use gives the tab its link, before it is spawned.
func (t *Tab) Use(l Link, gen registry.Gen) { t.link, t.Doc.Gen = l, gen }

// Link is how the page is reached.
func (t *Tab) Link() Link { return t.link }

// Env is what the tab shares with all others.
func (t *Tab) Env() *Env { return t.env }

// Intake is what bounds the tab's mailbox.
func (t *Tab) Intake() *Intake { return t.intake }

// To is how others reach the tab.
func (t *Tab) To() *Address { return t.address }

// Phase is where the tab is in its life.
func (t *Tab) Phase() Phase { return t.phase }

// NewGen is the generation of the next document, of any frame. LastGen is that of
// the newest.
func (t *Tab) NewGen() registry.Gen {
	t.lastGen++
	return t.lastGen
}

func (t *Tab) LastGen() registry.Gen { return t.lastGen }

// Send puts a message at the end of the tab's own mailbox. It may be called from
// any goroutine.
func (t *Tab) Send(m any) { t.env.Root.Send(t.address.PID, m) }

// After is Send when some time has gone by.
func (t *Tab) After(d time.Duration, m any) *time.Timer {
	if d > 0 {
		root, to := t.env.Root, t.address.PID // and not the tab, which may be gone by then
		return time.AfterFunc(d, func() { root.Send(to, m) })
	}
	t.Send(m)
	return nil
}

// Receive handles one message. Nothing in it waits.
func (t *Tab) Receive(ctx actor.Context) {
	message := ctx.Message()
	t.link.Took(message)
	t.dispatch(message)
}

// dispatch finds the event that a message is.
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
		if info := t.intake.info.Swap(nil); info != nil {
			t.step(targetChanged, *info)
		}
	case Retell:
		t.step(retold, m)
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
		t.step(said, m)
	}
}

// hear passes a message on to the link.
func (t *Tab) hear(m any) {
	t.link.Handle(m)
	if (t.phase == Detaching || t.phase == Closing) && !t.link.Naming() {
		t.Send(namedAll{})
	}
}

func (t *Tab) hearUnattached(m any) { t.link.HandleUnattached(m) }

// Failed is called when the handling of a message panicked: what is known of the
// page can't be trusted any more.
func (t *Tab) Failed(_ actor.Context, message any) {
	t.step(panicked, message)
	switch m := message.(type) { // somebody waits for what was to come of it
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
	if t.session != nil { // it panicked before it could take it
		t.link.TurnDown(t.session)
	}
	t.env.Root.Send(t.address.Supervisor, ActorFailed{t.ID, t.address})
}
