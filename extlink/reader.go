package extlink

import (
	"encoding/json"
	"fmt"
	"math"

	"webmcphub/internal/jsonrpc"
)

// reader decodes the members of a message and remembers the first error.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) into(name string, raw json.RawMessage, value any) {
	if !jsonrpc.IsObject(raw) {
		r.fail("%s is not an object", name)
	} else if err := json.Unmarshal(raw, value); err != nil {
		r.fail("%s: %w", name, err)
	}
}

func (r *reader) required(name string, raw json.RawMessage) string {
	if absent(raw) {
		r.fail("%s is missing", name)
	}
	return r.text(name, raw)
}

func (r *reader) text(name string, raw json.RawMessage) (s string) {
	if !absent(raw) && json.Unmarshal(raw, &s) != nil {
		r.fail("%s is not a string", name)
	}
	return s
}

func (r *reader) is(name string, raw json.RawMessage) (is bool) {
	if absent(raw) || json.Unmarshal(raw, &is) != nil {
		r.fail("%s is not true or false", name)
	}
	return is
}

func (r *reader) requiredObject(name string, raw json.RawMessage) json.RawMessage {
	if !jsonrpc.IsObject(raw) {
		r.fail("%s is not an object", name)
		return nil
	}
	return raw
}

func (r *reader) object(name string, raw json.RawMessage) json.RawMessage {
	if absent(raw) {
		return nil
	}
	return r.requiredObject(name, raw)
}

func (r *reader) array(name string, raw json.RawMessage) (all []json.RawMessage) {
	if absent(raw) || json.Unmarshal(raw, &all) != nil {
		r.fail("%s is not an array", name)
	}
	return all
}

func (r *reader) tabID(raw json.RawMessage) TabID {
	n := wholeNumber(raw)
	if n < 1 {
		r.fail("the tab's id is not a whole number from 1")
	}
	return TabID(n)
}

// wholeNumber returns an integer that JavaScript represents exactly, or a negative number for anything else.
func wholeNumber(raw json.RawMessage) int64 {
	var n float64
	if absent(raw) || json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return -1
	}
	return int64(n)
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
