package records

import "cmp"

// Bounds are the limits of a [Tab]. A zero field means its default.
type Bounds struct {
	Messages  Limit // console messages; default 1,000 and 1 MiB
	Requests  Limit // network requests; default 1,000 and 2 MiB
	Downloads Limit // downloads; default 100 and 128 KiB
	Frames    int   // how many messages of one WebSocket or EventSource are kept; default 50
}

// Limit bounds a ring.
type Limit struct {
	Entries int
	Bytes   int
}

const (
	maxDocuments = 3  // how many documents of the main frame are kept
	maxStack     = 20 // how many call frames of one message are kept
)

// Bounds on the parts of one entry, in bytes. Longer values are cut off, with a mark.
const (
	maxText    = 8 << 10  // the text of one console message
	maxArg     = 2 << 10  // one argument of a console message in its details
	maxArgs    = 32 << 10 // all arguments of a console message in its details
	maxURL     = 4 << 10  // one address
	maxHeaders = 16 << 10 // the headers of one request or response
	maxPost    = 32 << 10 // the body of a request, if the event has it
	maxFrame   = 1 << 10  // one message of a WebSocket or EventSource
	maxEvent   = 16 << 10 // a console event longer than this is decoded at once
)

func (b Bounds) withDefaults() Bounds {
	return Bounds{b.Messages.or(1000, 1<<20), b.Requests.or(1000, 2<<20), b.Downloads.or(100, 128<<10),
		cmp.Or(b.Frames, 50)}
}

func (l Limit) or(entries, bytes int) Limit {
	return Limit{cmp.Or(l.Entries, entries), cmp.Or(l.Bytes, bytes)}
}
