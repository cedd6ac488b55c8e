package actors

import (
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
	"golang.org/x/time/rate"

	"webmcphub/registry"
)

// pageCore is what all page actors have, by whichever link their page is
// reached: who they are, what the registry has been told, and the calls in
// flight. Those reached by CDP are pageActors, those reached by the browser's
// extension extPages.
type pageCore struct {
	hub    *Hub
	log    *slog.Logger
	root   *actor.RootContext
	ref    *pageRef
	id     registry.PageID
	epoch  registry.Epoch
	via    pageLink
	self   *actor.PID // nil until it has started
	closed bool

	// The main document.
	gen        registry.Gen
	nextGen    registry.Gen // counts documents of all frames
	url, title string
	origin     string // as the browser says, "" while that isn't known
	state      string // as registry.PageChanged.State
	dialog     string // as registry.PageChanged.Dialog
	failure    string // likewise its state where the document did not load, "" if it did
	arrived    bool   // as registry.PageChanged.Arrived
	// unsettled is true from the end of a document until the next one's
	// address is known; nothing is reported meanwhile.
	unsettled bool

	told      []registry.Frame        // the iframes that the registry knows of
	offered   registry.OffersReported // the newest that the registry knows
	said      registry.PageChanged    // the newest that the registry knows
	reporting bool                    // a reportDue is on its way
	moved     bool                    // the registry has yet to hear of the main document
	dirty     bool                    // the tools or frames may have changed since the last report
	shown     bool                    // the user has brought it to the front since the last report
	reports   *rate.Limiter

	calls map[*call]bool
}

// pageLink is what differs between them.
type pageLink interface {
	// tools are the page's tools in the order for names. A tool that has not
	// changed is the same pointer.
	tools() []*registry.PageTool
	// iframes are the page's frames but the main one.
	iframes() []registry.Frame
	// offersReport and saidMeanwhile are what else there is to report: with
	// the tools, and in any case.
	offersReport() []registry.Event
	saidMeanwhile() []registry.Event
	// address is where a route's document is now, "" if that isn't known.
	address(registry.Route) string
	// callEnded is called for each call that was answered.
	callEnded(*call)
}

// newPageCore is a page's whose actors before it, on a connection that was lost
// say, had lower epochs: neither their late reports nor routes to their documents
// count.
func newPageCore(h *Hub, ref *pageRef, id registry.PageID, url, title string, epoch registry.Epoch) pageCore {
	return pageCore{
		hub:     h,
		log:     h.log.With("page", id),
		root:    h.root,
		ref:     ref,
		id:      id,
		epoch:   epoch,
		url:     url,
		title:   title,
		nextGen: epoch.FirstGen(),
		reports: rate.NewLimiter(rate.Every(reportInterval), reportBurst),
		calls:   map[*call]bool{},
	}
}

// refuseLate is all that an actor does that has closed.
func (p *pageCore) refuseLate(message any) {
	if m, ok := message.(startCall); ok {
		m.call.reply(p.ref.why(m.call.route.Tool))
	}
}

func (p *pageCore) tell(e registry.Event) {
	p.root.Send(p.hub.registry, registry.PageSaid{Page: p.id, Epoch: p.epoch, Event: e})
}

// finish answers a call and forgets it.
func (p *pageCore) finish(c *call, r registry.Result) {
	delete(p.calls, c)
	if c.cancel != nil {
		c.cancel()
	}
	if r.Ending == "" {
		r.FrameURL = p.via.address(c.route)
	}
	c.reply(r)
	p.via.callEnded(c)
}
