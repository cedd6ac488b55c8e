package mask

import (
	"encoding/json"
	"slices"
	"strings"

	"webmcphub/internal/jsonrpc"
)

// Names of browser tools that write into the page's fields.
const (
	fill     = "fill"
	fillForm = "fill_form"
	typeText = "type_text"
	pressKey = "press_key"
)

// Types reports whether a tool writes what is in its arguments into the page's fields.
func Types(tool string) bool {
	return slices.Contains([]string{fill, fillForm, typeText, pressKey}, tool)
}

// maxFields is how many elements are remembered. With more, all are forgotten.
const maxFields = 1 << 16

// Fields knows from snapshots of pages which of their elements are fields for secrets. The zero value knows none. It
// may be used by one goroutine at a time.
type Fields struct {
	secret map[string]bool // by uid
	used   string          // the uid of the element that was used last
}

// Learn reads the lines of a snapshot, such as
//
//	a5 textbox "Password" password required
//
// A line begins with the element's uid. The words that aren't in quotes include what [Field] says of the element. Lines
// of a page's text are in quotes. An element that was once a field for secrets remains one.
func (f *Fields) Learn(snapshot string) {
	for line := range strings.Lines(snapshot) {
		uid, rest, more := strings.Cut(strings.TrimLeft(line, " +-~"), " ")
		if !more || !isUID(uid) {
			continue
		}
		if f.secret == nil || len(f.secret) >= maxFields {
			f.secret = map[string]bool{}
		}
		f.secret[strings.Clone(uid)] = f.secret[uid] || kindIn(rest)
	}
}

// isUID reports whether a word is like an element's uid: letters for its tab, and a number.
func isUID(word string) bool {
	letters := 0
	for letters < len(word) && word[letters] >= 'a' && word[letters] <= 'z' {
		letters++
	}
	return letters > 0 && letters < len(word) && span(word[letters:], digit) == len(word)-letters
}

// kindIn reports whether one of the words outside quotes is a kind of secret.
func kindIn(line string) bool {
	for line != "" {
		outside, rest, _ := strings.Cut(line, `"`)
		for w := range strings.FieldsSeq(outside) {
			if FieldKind(w) {
				return true
			}
		}
		for { // skip what is quoted
			at := strings.IndexAny(rest, `"\\`)
			if at < 0 {
				return false
			}
			escaped := rest[at] == '\\'
			rest = rest[min(len(rest), at+1):]
			if !escaped {
				break
			}
			rest = rest[min(len(rest), 1):]
		}
		line = rest
	}
	return false
}

// Result reads the snapshots in a result of a call.
func (f *Fields) Result(result json.RawMessage) {
	for item := range jsonrpc.Elements(jsonrpc.Member(result, "content")) {
		text, _ := jsonrpc.Text(jsonrpc.Member(item, "text"))
		f.Learn(text)
	}
}

// Use notes the element that a call with these arguments uses. What is typed afterwards goes into it.
func (f *Fields) Use(arguments json.RawMessage) {
	if uid, is := jsonrpc.Text(jsonrpc.Member(arguments, "uid")); is {
		f.used = uid
	}
}

// Arguments returns the arguments of a tool that [Types], with what goes into a field for secrets, or into one of which
// nothing is known, replaced by what hide returns.
func (f *Fields) Arguments(tool string, arguments json.RawMessage,
	hide func(json.RawMessage) json.RawMessage) json.RawMessage {
	f.Use(arguments)
	uid, _ := jsonrpc.Text(jsonrpc.Member(arguments, "uid"))
	secret := f.Secret(uid)
	return jsonrpc.Rewrite(arguments, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case name == "elements" && tool == fillForm:
			return jsonrpc.RewriteEach(value, func(one json.RawMessage) json.RawMessage {
				return f.Arguments(fill, one, hide)
			})
		case !secret:
		case name == "value" && tool == fill, name == "text" && tool == typeText,
			name == "key" && tool == pressKey && len(value) == len(`"k"`):
			return hide(value)
		}
		return value
	})
}

// Secret reports whether what goes into an element may be secret: it is a field for secrets, or nothing is known of
// it. An empty uid stands for the element that was used last.
func (f *Fields) Secret(uid string) bool {
	if uid == "" {
		uid = f.used
	}
	secret, known := f.secret[uid]
	return !known || secret
}
