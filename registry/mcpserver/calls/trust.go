package calls

import (
	"context"
	"encoding/json"
	"time"

	"webmcphub/registry"
	"webmcphub/registry/mcpserver/client"
	"webmcphub/registry/mcpserver/wire"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/sanitize"
)

// Trust decides what clients may do. Without one, everything is allowed. Its methods may
// be called from any goroutine.
type Trust interface {
	// Judge returns when it is decided whether a deed may be done: at once, or when a
	// person has answered. Soon after ctx has ended it refuses. Nil allows the deed: the
	// caller then does exactly that, with the same definition, arguments and document,
	// or nothing.
	Judge(ctx context.Context, d Deed) *Refusal
	// Sent is told of each deed whose outcome (a result, a resource's contents, a
	// prompt, a page's text) may be sent to its client from now on: a page that is asked
	// can say something before it answers. It never blocks.
	Sent(d Deed)
	// Words marks what is a page's words in the result of a deed; or gives r as it is.
	Words(d Deed, r registry.Result) registry.Result
	// ClientGone says that a client's session is over.
	ClientGone(session string)
}

// Oversight is what is told of calls, and decides about them.
type Oversight struct {
	// Called is told of every tools/call when it is over; nil tells nobody. It is
	// called by many goroutines and must not block.
	Called func(Record)
	Trust  Trust // nil allows everything
	// Withheld asks about tools that are withheld; nil asks nobody.
	Withheld Withheld
}

// Refusal is why a deed is not done, or not yet.
type Refusal struct {
	// Text says why, and what to do about it.
	Text string
	// Input, if not nil, is the result of protocol 2026-07-28 by which the client is to
	// ask its user and then send the request again; Text is empty then.
	Input json.RawMessage
}

// Kind is what sort of thing a deed is.
type Kind string

// The kinds of deeds.
const (
	PageTool     Kind = "page"         // a call of a tool that the page registered
	Introspected Kind = "introspected" // a call of one that the hub made from what the page shows
	BrowserTool  Kind = "automation"   // a browser tool, or one for tabs
	Resource     Kind = "resource"     // reading, completing or subscribing to a resource
	Prompt       Kind = "prompt"       // getting or completing a prompt
	PageAsks     Kind = "request"      // answering what a page asks of the client: sampling, elicitation, roots
)

// Class is what is known of a deed's effects.
type Class string

// The classes.
const (
	ReadOnly    Class = "read-only"
	Destructive Class = "destructive"
	Unknown     Class = "unknown" // what says neither
)

// Deed is one thing that a client is about to have done, or had done.
type Deed struct {
	Who
	Where
	What
	// Args are the arguments as the page gets them: a JSON object.
	Args json.RawMessage
	// Besides is an object with what else of the client's the page gets, nil if nothing:
	// the _meta and the extensions of the call.
	Besides json.RawMessage
}

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

// Where is the document that a deed is about.
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
	// To is the address that a deed goes to, as for navigation; else "".
	To string
	// Ended waits until the document no longer has what the deed is about, and says
	// whether that came before ctx ended. It may be nil.
	Ended    func(ctx context.Context) bool
	Tab      registry.TabID     // 0 if there is none
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
	// Listed says of a resource that the page lists it: then its URI is the page's, and not
	// the client's.
	Listed bool
}

// who is the client of a call.
func (s *Handler) who(c *client.Client, r *wire.Request, rounds *Rounds) Who {
	w := Who{Session: c.ID, Client: c.CallsItself(), Rounds: rounds}
	if c.Sessionless {
		w.Session = ""
	}
	_, forms := c.Answers(sanitize.MethodElicitation)
	if inRounds, takes := r.Takes(sanitize.MethodElicitation); inRounds {
		forms = takes
	}
	if forms && rounds == nil {
		w.Ask = func(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
			return c.Conn.Ask(ctx, sanitize.MethodElicitation, params, r)
		}
	}
	return w
}

// ofTool is what a deed says of a page's tool.
func ofTool(tool *registry.HubTool, name string) What {
	w := What{Kind: PageTool, Name: tool.Route.Tool, HubName: name, Class: Unknown}
	if tool.Route.Runtime == offer.DOM {
		w.Kind = Introspected
	}
	w.Class = classOf(tool.Claims().ReadOnly, tool.Claims().Destructive)
	if source := tool.Source(); source != nil {
		w.Description, w.Definition = source.Description, source.Fingerprint
	} else {
		w.Description, w.Definition = tool.Description, func() string { return offer.Fingerprint(tool.Encoded) }
	}
	return w
}

func classOf(readOnly, destructive bool) Class {
	switch {
	case destructive:
		return Destructive
	case readOnly:
		return ReadOnly
	}
	return Unknown
}

// anyones is a frame's [Where].Anyones.
func anyones(origin, address string) bool {
	return (origin == "" || origin == names.OpaqueOrigin) && !names.HasHost(address)
}

// ofTab is where a deed is done that concerns a tab; nil is none.
func ofTab(tab *registry.Tab, to string) Where {
	if tab == nil {
		return Where{To: to}
	}
	return Where{Origin: tab.Origin, Address: tab.URL, To: to, Tab: tab.ID, Document: tab.Document()}
}

// judgeTool judges a call of a page's tool. The deed is for when the result is sent.
func (s *Handler) judgeTool(ctx context.Context, c ToolCall, call Call, limit *wire.Clock) (d Deed, refused *registry.Result) {
	tool := call.Tool
	trust := s.options.Trust
	if trust == nil {
		return d, nil
	}
	c.Client.Conn.Limited(c.Request, limit)
	at := Where{Origin: tool.Origin(), Document: tool.Route.Document()}
	if tab := s.Current.Catalog().Tab(tool.Route.Page); tab != nil {
		at.Tab, at.Address = tab.ID, tab.URL
	}
	main := at.Tab != 0 && s.Current.Catalog().Tab(tool.Route.Page).Document().Doc == tool.Route.Doc
	if source := tool.Source(); source != nil && source.FrameURL != "" {
		at.Address = source.FrameURL
	}
	at.Anyones = !main && anyones(at.Origin, at.Address)
	at.Ended = func(ctx context.Context) bool {
		return s.Current.Await(ctx, func(*registry.Catalog) bool { return !s.stands(tool) }) != nil
	}
	d = Deed{Who: s.who(c.Client, c.Request, c.Rounds), Where: at, What: ofTool(tool, tool.Name), Args: call.Args, Besides: call.besides()}
	d.Since, d.Changed = s.changes.Of(tool)
	if no := trust.Judge(ctx, d); no != nil {
		return d, no.result()
	}
	// A person may have taken a while.
	why := s.Leases.Refusal(s.Current.Catalog().Tab(tool.Route.Page), tool.Route.Page, c.Client)
	if !s.stands(tool) {
		why = "its page changed or withdrew it while the call was being decided. List the tools again"
	}
	if why != "" {
		r := sanitize.ErrorResult(tool.Name + " was not called: " + why + ".")
		refused = &r
	}
	return d, refused
}

// Served takes note of the catalog that is served from now on. It belongs to one goroutine.
func (s *Handler) Served(c *registry.Catalog) {
	if s.options.Trust != nil {
		s.changes.Serve(c, time.Now())
	}
}

// stands says whether a tool is still there as it was judged.
func (s *Handler) stands(tool *registry.HubTool) bool {
	now := s.Current.Catalog()
	if now.Lookup(tool.Name) == tool {
		return true
	}
	tab := now.Tab(tool.Route.Page)
	if tab == nil {
		return false
	}
	for _, t := range tab.Tools {
		if t.Route == tool.Route && t.Source().Same(tool.Source()) {
			return true
		}
	}
	return false
}

// judgeOpening judges that a tab is opened for the call of a site's tool.
func (s *Handler) judgeOpening(ctx context.Context, c ToolCall, tool *registry.HubTool, url string) error {
	if s.options.Trust == nil {
		return nil
	}
	d := Deed{Who: s.who(c.Client, c.Request, c.Rounds), Where: Where{Origin: tool.Origin(), To: url}, What: ofTool(tool, tool.Name), Args: c.Args}
	if no := s.options.Trust.Judge(ctx, d); no != nil {
		return no
	}
	return nil
}

// judgeTab judges one of the hub's own tools that acts on a tab, or opens one. frame is the
// origin of the frame in which it acts, if that is another one than the tab's, else "".
func (s *Handler) judgeTab(ctx context.Context, c ToolCall, name string, class Class, tab *registry.Tab, frame, to string, args json.RawMessage) (d Deed, refused *Refusal) {
	trust := s.options.Trust
	if trust == nil {
		return d, nil
	}
	d = Deed{Who: s.who(c.Client, c.Request, c.Rounds), Where: ofTab(tab, to), Args: args,
		What: What{Kind: BrowserTool, Name: name, HubName: name, Class: class, Definition: func() string { return name }}}
	if tab != nil && frame != "" {
		d.Origin, d.Anyones = frame, anyones(frame, "")
	}
	if tab != nil {
		d.Ended = func(ctx context.Context) bool {
			return s.Current.Await(ctx, func(c *registry.Catalog) bool {
				now := c.Tab(tab.Page)
				return now == nil || now.Document() != tab.Document()
			}) != nil
		}
	}
	if refused = trust.Judge(ctx, d); refused != nil || tab == nil {
		return d, refused
	}
	// A person may have taken a while.
	now := s.Current.Catalog().Tab(tab.Page)
	switch kept := s.Leases.Refusal(now, tab.Page, c.Client); {
	case now == nil || now.Document() != tab.Document():
		refused = &Refusal{Text: name + " was not carried out: its tab shows another page than when the call was decided, or was closed. Look at the page again."}
	case kept != "":
		refused = &Refusal{Text: name + " was not carried out: " + kept + "."}
	}
	return d, refused
}

func (r *Refusal) Error() string { return r.Text }

// result is the tool result that a refusal is.
func (r *Refusal) result() *registry.Result {
	if r.Input != nil {
		return &registry.Result{JSON: r.Input, Ending: Asks}
	}
	refused := sanitize.ErrorResult(r.Text)
	refused.Ending = "refused"
	return &refused
}

// Asks is the ending of a call whose client is to ask its user first.
const Asks = "asks"
