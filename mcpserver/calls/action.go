package calls

import (
	"context"
	"encoding/json"
	"time"

	"webmcphub/registry"
)

// Trust decides what clients may do. Without one, everything is allowed. Its methods may
// be called from any goroutine.
type Trust interface {
	// Judge returns when it is decided whether an action may be done: at once, or when a
	// person has answered. Soon after ctx has ended it refuses. Nil allows the action: the
	// caller then does exactly that, with the same definition, arguments and document,
	// or nothing.
	Judge(ctx context.Context, d Action) *Refusal
	// Sent is told of each action whose outcome (a result, a resource's contents, a
	// prompt, a page's text) may be sent to its client from now on: a page that is asked
	// can say something before it answers. It never blocks.
	Sent(d Action)
	// Words marks what is a page's words in the result of an action; or gives r as it is. Of
	// the action it may be given no more than Origin, Document and Kind.
	Words(d Action, r registry.Result) registry.Result
	// ClientGone says that a client's session is over.
	ClientGone(session string)
}

// Refusal is why an action is not done, or not yet.
type Refusal struct {
	// Text says why, and what to do about it.
	Text string
	// Input, if not nil, is the result of protocol 2026-07-28 by which the client is to
	// ask its user and then send the request again; Text is empty then.
	Input json.RawMessage
}

// Error is the text.
func (r *Refusal) Error() string { return r.Text }

// Kind is what sort of thing an action is.
type Kind string

// The kinds of actions.
const (
	PageTool     Kind = "page"         // a call of a tool that the page registered
	Introspected Kind = "introspected" // a call of one that the hub made from what the page shows
	BrowserTool  Kind = "automation"   // a browser tool, or one for tabs
	Resource     Kind = "resource"     // reading, completing or subscribing to a resource
	Prompt       Kind = "prompt"       // getting or completing a prompt
	PageAsks     Kind = "request"      // answering what a page asks of the client: sampling, elicitation, roots
)

// Class is what is known of an action's effects.
type Class string

// The classes.
const (
	ReadOnly    Class = "read-only"
	Destructive Class = "destructive"
	Unknown     Class = "unknown" // what says neither
)

// ClassOf is the class of a tool whose claims are these.
func ClassOf(readOnly, destructive bool) Class {
	switch {
	case destructive:
		return Destructive
	case readOnly:
		return ReadOnly
	}
	return Unknown
}

// Action is one thing that a client is about to have done, or had done.
type Action struct {
	Who
	Where
	What
	// Args are the arguments as the page gets them: a JSON object.
	Args json.RawMessage
	// Besides is an object with what else of the client's the page gets, nil if nothing:
	// the _meta and the extensions of the call.
	Besides json.RawMessage
	Stage   Stage
}

// Stage is how far a call has come when an action of it is judged.
type Stage int

// The stages.
const (
	Begins Stage = iota // it is to be carried out
	Enters              // and in a further document, too: that is no further call
	Goes                // it was judged, and acts now: nobody is asked any more
	Shows               // it acts no more, and tells what a further document says: nobody is asked
)

// Who is the client.
type Who struct {
	// Session is the client's, "" where no two requests can be told to be one
	// client's: nothing may be remembered for it.
	Session string
	Client  string // how it calls itself, as the audit log has it
	// Ask has the client ask its user something (the params of elicitation/create); nil
	// where it can't.
	Ask func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Rounds is how a client of protocol 2026-07-28 is asked; nil for others.
	Rounds *Rounds
}

// Rounds is what a request of protocol 2026-07-28 brings with it.
type Rounds struct {
	Elicits bool            // the client can ask its user by a form
	State   string          // requestState, "" in the first round
	Answers json.RawMessage // inputResponses, or nil
	// Seen is what the [Trust] remembers of the request, which may be judged several times.
	Seen any
}

// Where is the document that an action is about.
type Where struct {
	// Origin is that of the document that offers what is used, as Chrome says; for
	// browser tools that of the tab's document. It is "" if there is none or nobody
	// knows it, and [names.OpaqueOrigin] of an opaque one.
	Origin string
	// Address is that document's, which says whose it may be where Origin doesn't.
	Address string
	// Anyones says that the document is a frame's that has neither an origin nor an
	// address to tell whose it is, as of a sandbox or a data: address.
	Anyones bool
	// Around are further origins by which a document that has none of its own is judged, too: those of the
	// documents around it, as far as they are known.
	Around []string
	// To is the address that an action goes to, as for navigation; else "".
	To string
	// Ended waits until the document no longer has what the action is about, and says
	// whether that came before ctx ended. It may be nil.
	Ended    func(ctx context.Context) bool
	Tab      registry.TabID     // 0 if there is none
	Browser  string             // of the tab, where there are several
	Document registry.ServerRef // which document of which page; the zero value if there is none
	// Frames are the origins of further documents whose words a result has; Judge isn't told.
	Frames []string
}

// What is the thing that is used.
type What struct {
	Kind          Kind
	Name, HubName string // its own name, and the one by which clients know it
	Class         Class
	// Description is what the page, or the hub of its own tools, says of it.
	Description string
	// Since is since when the hub knows it as it is, zero if that isn't known; Changed
	// says that it was another before.
	Since   time.Time
	Changed bool
	// Definition is a hash of all that was registered of it. It may be slow.
	Definition func() string
	// Anywhere says of a browser tool that any site may get to know its arguments.
	Anywhere bool
	// Emulated says of a browser tool that its tab is made to see other conditions, which the page that
	// it goes to gets to know.
	Emulated bool
	// On are the elements that a browser tool acts on, in words of the page and as the
	// client was shown them, a line each; "" if there are none.
	On string
	// Listed says of a resource that the page lists it: then its URI is the page's, and not
	// the client's.
	Listed bool
}
