package extlink

import (
	"errors"
	"fmt"
)

// These limit [OriginRules]; the extension refuses more.
const (
	MaxOriginPatterns    = 1000 // in each list
	MaxOriginPatternText = 300  // bytes of each of a pattern's texts
)

// OriginRules say in which documents the extension's scripts may work: both the document's own origin and its page's
// origin must match Allow (unless Allow is empty), and neither may match Deny.
type OriginRules struct {
	Allow []OriginPattern `json:"allow"`
	Deny  []OriginPattern `json:"deny"`
}

// OriginPattern matches origins. Any matches all, even opaque ones. An empty Scheme, Host or Port matches any; a Host
// that begins with "." matches all its subdomains; the Port "default" is the scheme's.
type OriginPattern struct {
	Any    bool   `json:"any,omitempty"`
	Scheme string `json:"scheme,omitempty"`
	Host   string `json:"host,omitempty"`
	Port   string `json:"port,omitempty"`
}

// check says which of the rules the extension would refuse. r may be nil.
func (r *OriginRules) check() error {
	if r == nil {
		return nil
	}
	if r.Allow == nil || r.Deny == nil {
		return errors.New("origins without allow or deny")
	}
	for _, list := range [][]OriginPattern{r.Allow, r.Deny} {
		if len(list) > MaxOriginPatterns {
			return fmt.Errorf("origins: %d patterns, of at most %d", len(list), MaxOriginPatterns)
		}
		for _, p := range list {
			for _, text := range []string{p.Scheme, p.Host, p.Port} {
				if len(text) > MaxOriginPatternText {
					return fmt.Errorf("origins: a pattern's text of %d bytes, of at most %d", len(text),
						MaxOriginPatternText)
				}
			}
		}
	}
	return nil
}
