package flow

import (
	"maps"
	"slices"
	"strings"
)

// A hub passes what a client has read to the client's next hub as a list of words: the origins, and these words for an
// unknown origin and for more origins than fit.
const (
	unknownWord = "unknown"
	moreWord    = "more"
)

// maxExported is the maximum length of that list, in bytes.
const maxExported = 12 << 10

// Export returns what a client has read, for the client's next hub. It returns "" if the client has read nothing.
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

// Import adds what a client had read at the previous hub, where Export returned it. Only the origins are known, so
// nothing can be compared with their texts. What doesn't fit counts as if the client had read from an unknown origin.
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
