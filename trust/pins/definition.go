package pins

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"webmcphub/registry/names"
	"webmcphub/registry/offer"
)

// Definition is a tool as its page registered it: untrusted text. It is immutable.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitempty"`
	// Script is the address of the script that registered the tool, "" if it is not
	// known or the tool is a form.
	Script string `json:"script,omitempty"`
	// ThirdParty is the site of that script where it is not the document's, else "".
	ThirdParty string `json:"thirdParty,omitempty"`
	// NoOrigin says that the tool is of a document without an origin of its own, in a
	// page of the origin.
	NoOrigin bool `json:"noOrigin,omitempty"`
}

// Annotations are what the page says of the tool. Nil is not said.
type Annotations struct {
	ReadOnly      *bool `json:"readOnlyHint,omitempty"`
	Destructive   *bool `json:"destructiveHint,omitempty"`
	Idempotent    *bool `json:"idempotentHint,omitempty"`
	OpenWorld     *bool `json:"openWorldHint,omitempty"`
	Consequential *bool `json:"consequentialHint,omitempty"`
	Untrusted     *bool `json:"untrustedContentHint,omitempty"`
	Cache         *bool `json:"cache,omitempty"`
}

// Hash tells definitions apart.
type Hash [sha256.Size]byte

func (h Hash) String() string { return hashed + hex.EncodeToString(h[:]) }

const hashed = "sha256:"

// MarshalText gives what String does.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText gives.
func (h *Hash) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(strings.TrimPrefix(string(text), hashed))
	if err != nil || len(raw) != len(h) {
		return fmt.Errorf("%q is no hash of a definition", text)
	}
	copy(h[:], raw)
	return nil
}

// Define gives the definition of a tool of a document, and the origin to pin it to: ""
// if there is none. origin is the document's, and page that of the main document around
// it; site gives the part of a host that its owner has registered, or "".
func Define(t *offer.PageTool, origin, page string, site func(host string) string) (Definition, string) {
	d := Definition{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Meta: t.Meta,
		Annotations: Annotations(t.Annotations),
		Script:      t.Script,
	}
	owner := origin
	if noOrigin(origin) {
		owner, d.NoOrigin = page, true
	}
	if noOrigin(owner) {
		return d, ""
	}
	d.ThirdParty = thirdParty(t.Script, owner, site)
	return d, owner
}

func noOrigin(origin string) bool { return origin == "" || origin == names.OpaqueOrigin }

// thirdParty is the owner of a script where that is not the owner of an origin, or "".
func thirdParty(script, origin string, site func(string) string) string {
	if script == "" || len(script) > len(origin) && script[:len(origin)] == origin && script[len(origin)] == '/' {
		return ""
	}
	from := ownerOf(script, site)
	if from == "" || from == ownerOf(origin, site) {
		return ""
	}
	return from
}

// ownerOf is who owns an address, as far as its host tells: the part of it that somebody
// has registered, or else the host; "" if it has none.
func ownerOf(address string, site func(string) string) string {
	host := names.ParseAddress(address).Host
	if site == nil {
		return host
	}
	return cmp.Or(site(host), host)
}

// Hash is that of all that makes the definition another one.
func (d *Definition) Hash() Hash {
	p := d.parts()
	return p.hash(0)
}

// written is the hash of the definition as it is written, which is quicker to find: two of
// one hash are the same, those of others may be.
func (d *Definition) written() Hash {
	buf := make([]byte, 0, 1024)
	for _, part := range [...]string{d.Name, d.Title, d.Description, d.ThirdParty} {
		buf = append(binary.AppendUvarint(buf, uint64(len(part))), part...)
	}
	for _, part := range [...][]byte{d.InputSchema, d.OutputSchema, d.Meta, d.Annotations.bits(), flag(d.NoOrigin)} {
		buf = appendPart(buf, part)
	}
	return sha256.Sum256(buf)
}

// said is what no definition leaves out that another one covers, see covers.
type said struct {
	name, description string
	noOrigin          bool
}

func (d *Definition) said() said { return said{d.Name, d.Description, d.NoOrigin} }

// parts are a definition as it is hashed: fields in a certain order, JSON in a
// canonical form.
type parts struct {
	fixed []byte // what is always told
	told  [3][]byte
}

// What may not have been told, see [parts].told.
const (
	title = 1 << iota
	input
	script
	allTold = 1 << iota
)

func (d *Definition) parts() parts {
	fixed := make([]byte, 0, 64+len(d.Name)+len(d.Description)+len(d.OutputSchema)+len(d.Meta))
	for _, part := range [...][]byte{[]byte(d.Name), []byte(d.Description), canonical(d.OutputSchema),
		canonical(d.Meta), d.Annotations.bits(), flag(d.NoOrigin)} {
		fixed = appendPart(fixed, part)
	}
	return parts{fixed, [3][]byte{[]byte(d.Title), canonical(d.InputSchema), []byte(d.ThirdParty)}}
}

// hash is that of the parts but those that are left out.
func (p *parts) hash(without int) Hash {
	buf := make([]byte, 0, len(p.fixed)+len(p.told[0])+len(p.told[1])+len(p.told[2])+32)
	buf = append(buf, p.fixed...)
	for i, part := range p.told {
		if without&(1<<i) != 0 {
			part = nil
		}
		buf = appendPart(buf, part)
	}
	return sha256.Sum256(buf)
}

// covers gives the hashes of the definition, first, and of all that say less of what may
// not have been told: they are no news.
func (d *Definition) covers() []Hash {
	all := make([]Hash, 0, 2*allTold)
	for _, told := range []*Definition{d, d.native()} {
		p := told.parts()
		for without := range allTold {
			if p.has(without) {
				all = append(all, p.hash(without))
			}
		}
	}
	return all
}

// native is what the browser's own WebMCP tells of the definition: a page's MCP server
// mirrors its tools there, and its own words for them follow, or don't.
func (d *Definition) native() *Definition {
	n := *d
	n.OutputSchema, n.Meta, n.Annotations = nil, nil, Annotations{}
	for _, hint := range [...]struct{ to, from **bool }{{&n.Annotations.ReadOnly, &d.Annotations.ReadOnly},
		{&n.Annotations.Consequential, &d.Annotations.Consequential},
		{&n.Annotations.Untrusted, &d.Annotations.Untrusted}} {
		if *hint.from != nil && **hint.from {
			*hint.to = *hint.from
		}
	}
	return &n
}

// has says that all parts are there which are to be left out.
func (p *parts) has(which int) bool {
	for i, part := range p.told {
		if which&(1<<i) != 0 && len(part) == 0 {
			return false
		}
	}
	return true
}

func appendPart(to, part []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(part))), part...)
}

func flag(is bool) []byte {
	if is {
		return []byte{1}
	}
	return nil
}

func (a Annotations) bits() []byte {
	var bits [7]byte
	for i, hint := range a.all() {
		switch {
		case *hint == nil:
		case **hint:
			bits[i] = 1
		default:
			bits[i] = 2
		}
	}
	return bits[:]
}

// all are the hints, in the order of hintNames.
func (a *Annotations) all() [7]**bool {
	return [...]**bool{&a.ReadOnly, &a.Destructive, &a.Idempotent, &a.OpenWorld, &a.Consequential, &a.Untrusted,
		&a.Cache}
}

var hintNames = [...]string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "consequentialHint",
	"untrustedContentHint", "cache"}

// size is about how many bytes the definition takes.
func (d *Definition) size() int {
	return 256 + len(d.Name) + len(d.Title) + len(d.Description) + len(d.InputSchema) + len(d.OutputSchema) + len(d.Meta) + len(d.Script)
}

// text tells apart what definitions say besides their name: the description and the
// input schema.
func (d *Definition) text() Hash {
	return sha256.Sum256(appendPart(appendPart(nil, []byte(d.Description)), canonical(d.InputSchema)))
}
