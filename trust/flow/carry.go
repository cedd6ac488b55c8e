package flow

import (
	"maps"
	"slices"
	"strings"
)

// What a client has read goes from hub to hub as words: its origins, and where the origin
// isn't known, or there are more than fit, these.
const (
	unknownWord = "unknown"
	moreWord    = "more"
)

// maxCarried is how long that may be, in bytes.
const maxCarried = 12 << 10

// Carried is what a client has read, for the next hub that it comes to; "" is nothing.
func (b *Book) Carried(session string) string {
	r := b.clients[session]
	if r == nil {
		return ""
	}
	var out strings.Builder
	more := r.more
	for _, o := range slices.Sorted(maps.Keys(r.origins)) {
		if o == "" {
			o = unknownWord
		}
		if strings.ContainsAny(o, " \t\r\n") || out.Len()+len(o) > maxCarried {
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

// Carry takes in what a client had read at the hub before. What doesn't fit counts as
// having read from an origin that isn't known.
func (b *Book) Carry(session, carried string) {
	for _, o := range strings.Fields(carried) {
		switch o {
		case moreWord:
			if b.options.Mode != Off {
				b.reader(session).more = true
			}
		case unknownWord:
			b.Read(session, "")
		default:
			b.Read(session, o)
		}
	}
}
