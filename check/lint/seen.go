package lint

import (
	"encoding/json"
	"time"
)

// A Tool is one tool as its page registered it.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"` // nil if the page gave none
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Hints        Hints           `json:"annotations,omitzero"`
	Source
}

// Hints are a tool's annotations; nil means that the page didn't give one.
type Hints struct {
	ReadOnly      *bool `json:"readOnlyHint,omitempty"`
	Consequential *bool `json:"consequentialHint,omitempty"`
	Untrusted     *bool `json:"untrustedContentHint,omitempty"`
	Destructive   *bool `json:"destructiveHint,omitempty"`
	Idempotent    *bool `json:"idempotentHint,omitempty"`
	OpenWorld     *bool `json:"openWorldHint,omitempty"`
}

// IsSet reports whether a hint is given and true.
func IsSet(hint *bool) bool { return hint != nil && *hint }

// Source says where a tool comes from. It isn't part of the tool's definition.
type Source struct {
	Runtime string `json:"-"` // "native", "mcpb", "polyfill" or "form"
	Origin  string `json:"-"` // of the document that registered it
	Script  string `json:"-"` // the address of the script that registered it; "" if unknown
	Line    int    `json:"-"` // the line in Script, from 1; 0 if unknown
	Frame   bool   `json:"-"` // that document is a frame, not the page
	Form    bool   `json:"-"` // the tool is a form with toolname
}

// ReadOnly reports whether the hints say that calling the tool changes nothing.
func (t *Tool) ReadOnly() bool {
	return IsSet(t.Hints.ReadOnly) && !IsSet(t.Hints.Consequential) && !IsSet(t.Hints.Destructive)
}

// SeenPage describes what the check saw of one page.
type SeenPage struct {
	Asked  string // the requested address
	URL    string // the address when the check looked at the page
	Origin string
	Title  string

	WebMCP bool // the browser offers document.modelContext to it
	Secure bool // the page is a secure context
	// Password says that the page shows a field for a password.
	Password bool
	// Legacy names the scripts that use navigator.modelContext, which Chrome has removed.
	Legacy []string

	// Waited is the time from the page's load event until the page was quiet, or the check gave up waiting. Busy says
	// in the latter case why the page wasn't quiet; otherwise it is "".
	Waited time.Duration
	Busy   string

	Tools         []Tool // in the order in which the page registered them
	Refused       []Refusal
	Registrations []Registration
	Changes       []Change
	Forms         []Form
	PlainForms    []PlainForm
	Links         []string // addresses that the page links to
}

// A Refusal is a tool that the hub doesn't offer to clients, and why.
type Refusal struct{ Tool, Why string }

// A Registration is one call of registerTool.
type Registration struct {
	Name    string
	Error   string   // the error with which it failed; "" if it succeeded
	Lost    []string // members of the definition that Chrome doesn't pass on, such as "outputSchema"
	Exposed []string // the origins of exposedTo
	Titled  bool     // it has a title
	Schema  string   // the kind of its inputSchema, such as "object" or "array"; "" if it has none
	Hinted  []string // hints that are given, such as "readOnlyHint", true or false; Chrome reports only true ones
	Origin  string   // of the document that registered it
	Frame   bool     // that document is a frame, not the page
	// After is the time from the page's load event to the registration; negative if the registration was earlier.
	After time.Duration
}

// A Change is a tool that came or went.
type Change struct {
	Tool  string
	Added bool
}

// A Form is a form with the attribute toolname.
type Form struct {
	Tool, Description string
	Autosubmit        bool
	Sensitive         []string // names of its fields for passwords and cards
}

// A PlainForm is a form that people see and fill in and that isn't a tool.
type PlainForm struct {
	Name   string   // its name, id, label or the text of its button
	Fields []string // the names of the fields that a person fills in
}
