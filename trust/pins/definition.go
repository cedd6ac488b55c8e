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

// Definition is a tool as its page registered it. Its texts are untrusted. It is immutable.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  Annotations     `json:"annotations,omitzero"`
	Meta         json.RawMessage `json:"_meta,omitempty"`
	// Script is the address of the script that registered the tool. It is "" if the address is unknown or the tool is
	// a form.
	Script string `json:"script,omitempty"`
	// ThirdParty is the script's site if it is not the document's site, or else "".
	ThirdParty string `json:"thirdParty,omitempty"`
	// NoOrigin reports that the tool belongs to a document without an origin of its own, in a page of the origin to
	// which the tool is pinned.
	NoOrigin bool `json:"noOrigin,omitempty"`
}

// Annotations are the page's claims about the tool. A nil pointer means that the page makes no claim.
type Annotations struct {
	ReadOnly      *bool `json:"readOnlyHint,omitempty"`
	Destructive   *bool `json:"destructiveHint,omitempty"`
	Idempotent    *bool `json:"idempotentHint,omitempty"`
	OpenWorld     *bool `json:"openWorldHint,omitempty"`
	Consequential *bool `json:"consequentialHint,omitempty"`
	Untrusted     *bool `json:"untrustedContentHint,omitempty"`
	Cache         *bool `json:"cache,omitempty"`
}

// Hash identifies a definition.
type Hash [sha256.Size]byte

func (h Hash) String() string { return hashed + hex.EncodeToString(h[:]) }

const hashed = "sha256:"

// MarshalText returns the bytes of String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (h *Hash) UnmarshalText(text []byte) error {
	raw, err := hex.DecodeString(strings.TrimPrefix(string(text), hashed))
	if err != nil || len(raw) != len(h) {
		return fmt.Errorf("%q is no hash of a definition", text)
	}
	copy(h[:], raw)
	return nil
}

// Define returns the definition of a tool of a document, and the origin to which it is pinned, or "" if there is none.
// origin is the document's origin, and page that of the main document around it. site returns the part of a host that
// the host's owner has registered, or "".
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

// thirdParty returns the owner of a script if that is not the owner of the origin, or else "".
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

// ownerOf returns the owner of an address: the part of the host that somebody has registered, or else the host. It
// returns "" if the address has no host.
func ownerOf(address string, site func(string) string) string {
	host := names.ParseAddress(address).Host
	if site == nil {
		return host
	}
	return cmp.Or(site(host), host)
}

// Hash returns a hash that is equal for equal definitions, however their JSON is written.
func (d *Definition) Hash() Hash {
	buf := make([]byte, 0, d.size())
	for _, part := range [...][]byte{[]byte(d.Name), []byte(d.Title), []byte(d.Description), canonical(d.InputSchema),
		canonical(d.OutputSchema), canonical(d.Meta), d.Annotations.bits(), []byte(d.ThirdParty), flag(d.NoOrigin)} {
		buf = appendPart(buf, part)
	}
	return sha256.Sum256(buf)
}

// written returns a hash of the definition with its JSON as the page wrote it, which is quicker to compute. Two
// definitions with the same hash are equal. Two with different hashes may be equal, too.
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

// native returns the part of the definition that the browser's own WebMCP reports. A page's MCP server mirrors its
// tools to the browser, so the hub may see the server's definitions later, or never.
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

// all returns the hints in the order of hintNames.
func (a *Annotations) all() [7]**bool {
	return [...]**bool{&a.ReadOnly, &a.Destructive, &a.Idempotent, &a.OpenWorld, &a.Consequential, &a.Untrusted,
		&a.Cache}
}

var hintNames = [...]string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "consequentialHint",
	"untrustedContentHint", "cache"}

// size returns about how many bytes the definition takes.
func (d *Definition) size() int {
	return 256 + len(d.Name) + len(d.Title) + len(d.Description) + len(d.InputSchema) + len(d.OutputSchema) + len(d.Meta) + len(d.Script)
}

// text returns a hash of the description and the input schema.
func (d *Definition) text() Hash {
	return sha256.Sum256(appendPart(appendPart(nil, []byte(d.Description)), canonical(d.InputSchema)))
}
