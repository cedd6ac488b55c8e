package tab

// event is something on which a tab's phase depends: a message, or something that the link has learned from a
// message.
type event int

const (
	// From the supervisor.
	started event = iota
	wanted
	unwanted
	offered
	attachFailed
	targetCrashed
	targetChanged
	titleListed
	resynced
	gone
	// From callers.
	called
	cancelled
	asked
	// From the link.
	sessionEnded
	documentEnded
	documentArrived
	rendererCrashed
	rendererBack
	rendererSilent
	rendererAnswered
	// From the tab itself.
	callsNamed
	overdue
	reportsDue
	panicked
	// Everything else: what the page, the browser and the link's goroutines report.
	other

	events = iota
)

var eventNames = [events]string{
	started: "started", wanted: "wanted", unwanted: "unwanted", offered: "session offered",
	attachFailed: "attaching failed", sessionEnded: "session ended",
	targetCrashed: "target crashed", targetChanged: "target changed", titleListed: "title listed",
	resynced: "registry starts anew", gone: "gone",
	called: "call", cancelled: "call cancelled", asked: "question",
	documentEnded: "document ended", documentArrived: "document arrived", rendererCrashed: "renderer crashed",
	rendererBack: "renderer back", rendererSilent: "renderer silent", rendererAnswered: "renderer answered",
	callsNamed: "calls named", overdue: "phase overdue", reportsDue: "report due", panicked: "panic",
	other: "anything else",
}

func (e event) String() string { return eventNames[e] }

// row is a row of the table: what a tab does on an event in some phases.
type row struct {
	on   event
	in   []Phase
	next []Phase // the phases to which it may lead; it may also keep the phase
	does string
	run  func(t *Tab, m any) // nil does nothing
}

func in(p ...Phase) []Phase { return p }

var (
	attached = in(BetweenDocuments, Ready, Silent, Crashed)
	living   = in(Known, KnownCrashed, Attaching, BetweenDocuments, Ready, Silent, Crashed, Detaching, Severed)
	ending   = in(Closing, Failed, Gone)
)

// rows are the whole table. If an event has no row in a phase, it can't occur there; if it does, that is logged as an
// error.
var rows = []row{
	{started, in(Known), in(Attaching, Ready), "tells its address; takes the session that came with it, or asks for " +
		"one if it is wanted", (*Tab).start},

	{wanted, in(Known, KnownCrashed), in(Attaching, Ready), "asks for a session", (*Tab).attach},
	{wanted, in(Attaching), nil, "answers when the session is there", (*Tab).awaitSession},
	{wanted, attached, nil, "answers: it is attached", (*Tab).answer},
	{wanted, in(Detaching), in(Known, Attaching, Ready), "lets go at once, then asks for a session",
		(*Tab).attachAgain},
	{wanted, in(Severed), nil, "asks for a session if the tab turns out to be there", (*Tab).answer},
	{wanted, in(Closing, Gone), nil, "answers: the tab was closed", (*Tab).declineRequest},
	{wanted, in(Failed), nil, "answers: the actor that takes the page up does it", (*Tab).answer},

	{unwanted, in(Known, KnownCrashed, Detaching, Severed, Closing, Failed, Gone), nil,
		"answers: it is not attached, or about to be let go of", (*Tab).answer},
	{unwanted, in(Attaching), in(Known), "turns the session down when it comes", (*Tab).giveUpAttaching},
	{unwanted, attached, in(Known, Detaching), "lets go: at once, or when all calls under way have their names",
		(*Tab).detach},

	{offered, in(Known, KnownCrashed, Attaching), in(Ready), "takes the session up if it is wanted, else turns it down",
		(*Tab).takeOffer},
	{offered, in(BetweenDocuments, Ready, Silent, Crashed, Detaching, Severed, Closing, Failed, Gone), nil,
		"turns the session down", (*Tab).turnDown},

	{attachFailed, in(Attaching), in(Known), "answers who waits for the session", (*Tab).noSession},
	{attachFailed, in(Known, KnownCrashed, BetweenDocuments, Ready, Silent, Crashed, Detaching, Severed, Closing,
		Failed, Gone), nil, "nothing: it does not wait for one any more", nil},

	{sessionEnded, attached, in(Severed), "waits for word of the tab", (*Tab).sever},
	{sessionEnded, in(Detaching), in(Known), "has let go", (*Tab).letGo},
	{sessionEnded, in(Closing), nil, "nothing: the calls that have no name end with the session", nil},

	{targetCrashed, in(Known), in(KnownCrashed), "tells", (*Tab).crashUnattached},
	{targetCrashed, in(KnownCrashed, Attaching, BetweenDocuments, Ready, Silent, Crashed, Detaching, Severed, Closing,
		Failed, Gone), nil, "nothing: the session says so itself", nil},

	{targetChanged, in(Known, KnownCrashed), in(Known), "takes title and address; a page that had crashed was " +
		"loaded again", (*Tab).targetMoved},
	{targetChanged, in(Attaching), nil, "takes title and address", (*Tab).targetMoved},
	{targetChanged, in(BetweenDocuments, Ready, Silent, Crashed, Detaching), nil,
		"takes the title; the address comes with the page's own events", (*Tab).targetTitled},
	{targetChanged, in(Severed, Closing, Failed, Gone), nil, "nothing", nil},

	{titleListed, in(Known, KnownCrashed, Attaching, BetweenDocuments, Ready, Silent, Crashed, Detaching), nil,
		"takes the title", (*Tab).takeTitle},
	{titleListed, in(Severed, Closing, Failed, Gone), nil, "nothing", nil},

	{resynced, living, nil, "tells everything", (*Tab).tellAll},
	{resynced, ending, nil, "nothing: the supervisor has told its end, or is about to", nil},

	{gone, in(Known, KnownCrashed, Attaching, BetweenDocuments, Ready, Silent, Crashed, Detaching), in(Closing, Gone),
		"ends its calls: at once, or when all have their names", (*Tab).close},
	{gone, in(Severed), in(Gone), "ends its calls at once: without a session the browser names none", (*Tab).closeNow},
	{gone, in(Failed), in(Gone), "ends its calls at once", (*Tab).closeNow},
	{gone, in(Closing, Gone), nil, "nothing: it knows", nil},

	{called, in(BetweenDocuments, Ready), nil, "begins the call, or says why the tool is not there", (*Tab).call},
	{called, in(Known, KnownCrashed, Attaching, Silent, Crashed, Detaching, Severed), nil,
		"answers with the page's state", (*Tab).declineCall},
	{called, ending, nil, "answers with how the page ended", (*Tab).declineCall},

	{cancelled, in(BetweenDocuments, Ready, Silent, Crashed, Detaching, Severed, Closing), nil,
		"has the page stop the tool", (*Tab).cancelCall},
	{cancelled, in(Known, KnownCrashed, Attaching, Failed, Gone), nil, "nothing: no call is under way", nil},

	{asked, in(BetweenDocuments, Ready), nil, "answers", (*Tab).hear},
	{asked, in(Known, KnownCrashed, Attaching, Silent, Crashed, Detaching, Severed, Closing, Failed, Gone), nil,
		"says why nobody can", (*Tab).declineQuestion},

	{documentEnded, in(BetweenDocuments, Ready, Silent, Crashed), in(BetweenDocuments),
		"withdraws the document's tools", (*Tab).endDocument},
	{documentEnded, in(Detaching, Closing), nil, "withdraws the document's tools", (*Tab).endDocument},

	{documentArrived, in(BetweenDocuments, Ready, Silent, Crashed), in(Ready), "tells the address, and reports",
		(*Tab).arrive},
	{documentArrived, in(Detaching, Closing), nil, "takes the address", (*Tab).arrive},

	{rendererCrashed, attached, in(Crashed), "ends all calls", (*Tab).crash},
	{rendererCrashed, in(Detaching, Closing), nil, "ends all calls", (*Tab).crash},

	{rendererBack, in(Crashed), in(Ready), "tells", (*Tab).reloaded},
	{rendererBack, in(BetweenDocuments, Ready, Silent, Detaching, Closing), nil, "nothing", nil},

	{rendererSilent, in(Ready), in(Silent), "tells", (*Tab).silence},
	{rendererSilent, in(BetweenDocuments, Silent, Crashed, Detaching, Closing), nil, "nothing", nil},

	{rendererAnswered, in(Silent), in(Ready), "tells", (*Tab).reloaded},
	{rendererAnswered, in(BetweenDocuments, Ready, Crashed, Detaching, Closing), nil, "nothing", nil},

	{callsNamed, in(Detaching), in(Known), "lets go", (*Tab).letGo},
	{callsNamed, in(Closing), in(Gone), "ends", (*Tab).conclude},
	{callsNamed, in(Known, KnownCrashed, Attaching, BetweenDocuments, Ready, Silent, Crashed, Severed, Failed, Gone),
		nil, "nothing: it does not wait for that any more", nil},

	{overdue, in(Detaching), in(Known), "lets go", (*Tab).letGo},
	{overdue, in(Closing), in(Gone), "ends", (*Tab).conclude},
	{overdue, in(Severed), in(Known, Attaching, Ready), "the tab is there: ends its calls, and asks for a session if " +
		"it is wanted", (*Tab).survive},

	{reportsDue, in(Known, KnownCrashed, Attaching, Ready, Silent, Crashed), nil, "reports what has changed",
		(*Tab).report},
	{reportsDue, in(BetweenDocuments, Detaching, Severed, Closing, Failed, Gone), nil,
		"nothing: what follows reports, or there is nothing to", (*Tab).holdReport},

	{panicked, living, in(Failed, Gone), "asks its supervisor for another actor; if it was told to end, does only " +
		"what it has to for that", (*Tab).fail},
	{panicked, in(Closing, Gone), in(Gone), "ends, and does only what it has to for that", (*Tab).abandon},
	{panicked, in(Failed), nil, "nothing: the supervisor knows", nil},

	{other, in(BetweenDocuments, Ready, Silent, Crashed, Detaching, Closing), nil, "the link takes it", (*Tab).hear},
	{other, in(Known, KnownCrashed, Attaching), nil, "the link takes what may come without a session",
		(*Tab).hearUnattached},
	{other, in(Severed, Failed, Gone), nil, "nothing: it is of a session that has ended, or can't be trusted", nil},
}

// table has the row of each event in each phase; nil if there is none.
var table [events][phases]*row

func init() { // not an initializer, because the rows' methods use the table
	for i := range rows {
		r := &rows[i]
		for _, p := range r.in {
			if table[r.on][p] != nil {
				panic("two rows for " + r.on.String() + " in phase " + p.String())
			}
			table[r.on][p] = r
		}
	}
}

// step carries out the row of an event in the tab's phase.
func (t *Tab) step(e event, m any) {
	r := table[e][t.phase]
	if r == nil {
		t.impossible(e.String())
		return
	}
	if r.run == nil {
		return
	}
	outer := t.row
	t.row = r
	r.run(t, m)
	t.row = outer
}
