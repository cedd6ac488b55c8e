package extlink

import (
	"encoding/json"
	"errors"
	"fmt"
)

// These limit [Connect].Origins. The extension refuses larger rules.
const (
	MaxOriginPatterns    = 1000 // in each list
	MaxOriginPatternText = 300  // bytes of each text of a pattern
)

// checkOrigins returns an error if the extension would refuse the rules for origins. raw may be nil.
func checkOrigins(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	type pattern struct{ Scheme, Host, Port string }
	var rules struct{ Allow, Deny []pattern }
	if err := json.Unmarshal(raw, &rules); err != nil {
		return err
	}
	if rules.Allow == nil || rules.Deny == nil {
		return errors.New("origins without allow or deny")
	}
	for _, list := range [][]pattern{rules.Allow, rules.Deny} {
		if len(list) > MaxOriginPatterns {
			return fmt.Errorf("origins: %d patterns, but at most %d are allowed", len(list), MaxOriginPatterns)
		}
		for _, p := range list {
			if n := max(len(p.Scheme), len(p.Host), len(p.Port)); n > MaxOriginPatternText {
				return fmt.Errorf("origins: a pattern's text of %d bytes, but at most %d are allowed", n,
					MaxOriginPatternText)
			}
		}
	}
	return nil
}
