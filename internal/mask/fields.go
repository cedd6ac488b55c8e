package mask

import (
	"strings"
)

// maxFields is how many elements are remembered. With more, all are forgotten.
const maxFields = 1 << 16

// Fields knows from snapshots of pages which of their elements are fields for secrets. The zero value knows none. It may
// be used by one goroutine at a time.
type Fields struct {
	secret map[string]bool // by uid
	used   string          // the uid of the element that was used last
}

// Learn reads the lines of a snapshot, such as
//
//	uid=1_5 textbox "Password" password required
//
// The words after the quoted ones include what [Field] says of the element.
func (f *Fields) Learn(snapshot string) {
	for line := range strings.Lines(snapshot) {
		at := strings.Index(line, "uid=")
		if at < 0 || strings.Contains(line[:at], `"`) {
			continue
		}
		uid, rest, _ := strings.Cut(strings.TrimSpace(line[at+len("uid="):]), " ")
		if f.secret == nil || len(f.secret) >= maxFields && !f.secret[uid] {
			f.secret = map[string]bool{}
		}
		f.secret[strings.Clone(uid)] = kindIn(rest)
	}
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

// Use notes that an element is used. What is typed afterwards goes into it.
func (f *Fields) Use(uid string) { f.used = strings.Clone(uid) }

// Secret reports whether what goes into an element may be secret: it is a field for secrets, or nothing is known of it. An
// empty uid stands for the element that was used last.
func (f *Fields) Secret(uid string) bool {
	if uid == "" {
		uid = f.used
	}
	secret, known := f.secret[uid]
	return !known || secret
}
