package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Decode decodes arguments into a struct. The arguments satisfy the tool's schema, so only numbers that don't fit can
// fail. The error names the argument.
func Decode(args json.RawMessage, into any) error {
	err := json.Unmarshal(wholeNumbers(args), into)
	if misfit, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		name := misfit.Field[strings.LastIndexByte(misfit.Field, '.')+1:]
		return fmt.Errorf("/%s: the %s is out of range", name, misfit.Value)
	}
	return err
}

// wholeNumbers writes whole numbers without fractions and exponents. 5000.0 and 5e3 are JSON for 5000. A schema's
// "integer" accepts them, but Go's decoder doesn't.
func wholeNumbers(args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return args
	}
	changed := false
	for name, raw := range members {
		text := string(raw)
		if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !strings.ContainsAny(text, ".eE") {
			continue
		}
		if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			members[name], changed = strconv.AppendInt(nil, int64(n), 10), true
		}
	}
	if !changed {
		return args
	}
	whole, err := json.Marshal(members)
	if err != nil { // can't fail: args were JSON
		return args
	}
	return whole
}

// Milliseconds is the argument timeout; 0 means that it wasn't given.
type Milliseconds time.Duration

// longest bounds a timeout. A longer one counts as longest.
const longest = 24 * time.Hour

// UnmarshalJSON decodes a number of milliseconds.
func (m *Milliseconds) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
		return fmt.Errorf("/timeout: %w", err)
	case n < 0:
		return fmt.Errorf("/timeout: expected at least 0, got %s", raw)
	}
	*m = Milliseconds(min(n, float64(longest/time.Millisecond))) * Milliseconds(time.Millisecond)
	return nil
}

// TextOrTexts is one string or several.
type TextOrTexts []string

// UnmarshalJSON decodes a string or a list of strings.
func (t *TextOrTexts) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = TextOrTexts{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}
