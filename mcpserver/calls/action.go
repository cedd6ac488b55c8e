package calls

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"webmcphub/internal/browsertool"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// Trust decides what clients may do. With a nil Trust, everything is allowed. Any goroutine may call its methods.
type Trust interface {
	// Judge decides whether an action may be carried out. It returns at once if it can decide without a person, and
	// otherwise when a person has answered. Soon after ctx ends, it refuses. A nil result allows the action: the
	// caller then carries out exactly this action, with the same definition, arguments and document, or carries out
	// nothing.
	Judge(ctx context.Context, d Action) *Refusal
	// Sent reports that from now on the outcome of an action (a result, a resource's contents, a prompt, a page's
	// text) may be sent to the client. For actions that ask a page, it is called before the page is asked, because a
	// page can send messages before it answers. Sent never blocks.
	Sent(d Action)
	// Read reports the content that is being sent to the client: a result or another JSON value. It never blocks.
	Read(d Action, content json.RawMessage)
	// Delimit puts delimiters around the texts in the result r that a page wrote, and returns the changed result. It
	// returns r unchanged if it delimits nothing. Callers may leave all fields of d empty except Origin, Document and
	// Kind.
	Delimit(d Action, r registry.Result) registry.Result
	// ClientGone reports that a client's session has ended.
	ClientGone(session string)
}

// Refusal says why an action is not carried out. Text gives the reason, and what the agent or the user can do about it.
type Refusal struct{ Text string }

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Kind says what an action uses.
type Kind string

// The kinds of actions.
const (
	PageTool     Kind = "page"         // a tool that the page registered
	Introspected Kind = "introspected" // a tool that the hub made from what the page shows
	BrowserTool  Kind = "automation"   // a browser tool, or one of the hub's tab tools
	Resource     Kind = "resource"     // reading, completing or subscribing to a resource
	Prompt       Kind = "prompt"       // getting or completing a prompt
	PageRequest  Kind = "request"      // answering what a page asks of the client: sampling, elicitation, roots
)

// Class says what the hub knows about an action's effects.
type Class string

const (
	ReadOnly    Class = "read-only"
	Destructive Class = "destructive"
	Unknown     Class = "unknown" // the tool claims neither
)

// ClassOf returns the class of a tool that makes these claims.
func ClassOf(readOnly, destructive bool) Class {
	switch {
	case destructive:
		return Destructive
	case readOnly:
		return ReadOnly
	}
	return Unknown
}

// Action describes one thing that a client is about to do through the hub, or has done.
type Action struct {
	Who
	Where
	What
	// Args is a JSON object: the arguments that the page receives.
	Args json.RawMessage
	// Besides is a JSON object with what the page receives from the client beside the arguments: the _meta and the
	// extensions of the call. It is nil if the page receives nothing else.
	Besides json.RawMessage
	Stage   browsertool.Stage
}

// Who describes the client.
type Who struct {
	// Session identifies the client's session. It is "" if the hub can't tell whether two requests come from the same
	// client; nothing may be remembered for such a client.
	Session string
	Client  string // the name that the client gives itself, as in the audit log
	// Ask makes the client ask its user something; params are the params of elicitation/create. Ask is nil if the
	// client can't ask its user. A client of protocol 2026-07-28 is asked in rounds, see [wire.Rounds].
	Ask func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// Where describes the document that an action concerns.
type Where struct {
	// Origin is the origin that Chrome reports for the document whose tool or offer the action uses. For browser tools
	// it is the origin of the tab's document. It is "" if there is no document or its origin is unknown, and
	// [names.OpaqueOrigin] if the origin is opaque.
	Origin string
	// Address is the document's address. Where Origin doesn't say which site the document belongs to, Address may.
	Address string
	// Anyones reports that the document belongs to a frame whose origin and address don't name its site, such as a
	// sandboxed frame or a data: address.
	Anyones bool
	// Around are further origins by which Trust decides about a document without an origin of its own: the known
	// origins of the documents around it.
	Around []string
	// Top is the origin of the main document of the tab; "" if there is no tab or its origin is unknown.
	Top string
	// To is the address to which the action leads the tab, as in a navigation; "" if there is none.
	To string
	// Ended waits until the document no longer has the thing that the action uses. It returns true if that happened
	// before ctx ended. Ended may be nil.
	Ended    func(ctx context.Context) bool
	Tab      registry.TabID       // 0 if there is none
	Browser  string               // the tab's browser, if there are several
	Document registry.DocumentRef // which document of which page; the zero value if there is none
	// Frames are the origins of further documents whose text the result contains. They are unknown when Judge is
	// called.
	Frames []string
}

// Sites returns the origins of the documents that an action concerns, as far as they are known: the document's own, by
// which [names.Whose] judges it, those of the documents around it, the tab's, and the one to which the action leads.
func (w Where) Sites() (all []names.Origin) {
	for _, origin := range slices.Concat(names.Whose(w.Origin, w.Address), w.Around, []string{w.Top, w.To}) {
		if at := names.ParseAddress(origin); at != (names.Origin{}) && !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

// What describes the thing that the action uses.
type What struct {
	Kind          Kind
	Name, HubName string // the thing's own name, and the name that clients use
	Class         Class
	// Description is the page's description, or the hub's for one of its own tools.
	Description string
	// Schema is the JSON Schema of the arguments of a page's tool; nil for all else.
	Schema json.RawMessage
	// Since is when the hub first saw the current definition. It is zero if that is unknown. Changed reports that the
	// definition was a different one before.
	Since   time.Time
	Changed bool
	// Definition returns a hash of everything that was registered. It may be slow.
	Definition func() string
	// Anywhere reports that any site may learn the arguments of this call of a browser tool.
	Anywhere bool
	// Emulated reports that a browser tool makes its tab emulate other conditions, which the page that the tab goes
	// to can observe.
	Emulated bool
	// On lists the elements that a browser tool acts on, one per line, in the page's words that the client has read.
	// It is "" if there are no such elements.
	On string
	// Listed reports that the page lists this resource. Then the URI comes from the page, not from the client.
	Listed bool
}
