package flow

import (
	"maps"
	"slices"
	"strings"
)

// A hub gives a client's next hub a list of words: the origins that the client has read, and these words for an
// unknown origin and for more origins than fit.
const (
	unknownWord = "unknown"
	moreWord    = "more"
)

// maxExported is the maximum length of that list, in bytes.
const maxExported = 12 << 10

// Export returns the origins that a client has read, for its next hub. It returns "" if the client has read nothing.
func (b *Book) Export(session string) string {
	r := b.clients[session]
	if r == nil {
		return ""
	}
	var out strings.Builder
	more := r.more != nil
	for _, o := range slices.Sorted(maps.Keys(r.sources)) {
		if !r.sources[o].visited {
			continue
		}
		if o == "" {
			o = unknownWord
		}
		if strings.ContainsAny(o, " \t\r\n") || out.Len()+len(o) > maxExported {
			more = true
			continue
		}
		out.WriteString(o + " ")
	}
	if more {
		out.WriteString(moreWord)
	}
	return strings.TrimSuffix(out.String(), " ")
}

// Import adds the origins that a client had read at the previous hub, where Export returned them. Their texts are
// unknown, so nothing can be compared with these. Origins that don't fit count as an unknown origin.
func (b *Book) Import(session, exported string) {
	for _, o := range strings.Fields(exported) {
		if b.options.Mode == Off {
			return
		}
		c := b.client(session)
		if o == moreWord {
			c.more = &source{private: true, opaque: true}
			continue
		}
		if o == unknownWord {
			o = ""
		}
		if b.Read(session, o); c.sources[o] != nil {
			c.sources[o].private, c.sources[o].opaque = true, true
		}
	}
}
