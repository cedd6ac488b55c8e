package names

import (
	"encoding/json"
	"webmcphub/registry/sanitize"
)

// MarshalJSON returns the rules in the form that scripts in pages read (extension/shared/origin-rules.js):
// {"allow":[…],"deny":[…]}.
func (o *Origins) MarshalJSON() ([]byte, error) {
	type pattern struct {
		Any    bool   `json:"any,omitempty"`
		Scheme string `json:"scheme,omitempty"`
		Host   string `json:"host,omitempty"` // ".example.com" is any subdomain
		Port   string `json:"port,omitempty"` // "default" is the scheme's
	}
	list := func(from []OriginPattern) []pattern {
		all := make([]pattern, len(from))
		for i, p := range from {
			all[i] = pattern{p.any, p.scheme, p.host, p.port}
		}
		return all
	}
	return json.Marshal(map[string][]pattern{"allow": list(o.allow), "deny": list(o.deny)})
}

// Rules returns the rules as JSON, see MarshalJSON, or nil if there are none.
func (o *Origins) Rules() json.RawMessage {
	if o == nil || len(o.allow)+len(o.deny) == 0 {
		return nil
	}
	return sanitize.Encode(o)
}

// Refuses reports whether a document may not offer tools. main says that it is the page's main document; reported and
// address are as in [DocumentOrigin]. A nil o refuses none. It may be called from any goroutine.
func (o *Origins) Refuses(reported, address string, main bool) bool {
	return o.DocumentRefusal(reported, address, main) != ""
}
