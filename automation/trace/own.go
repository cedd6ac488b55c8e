package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

var (
	anAddress   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*:(?:\\?/){2}[^"\s\\]*(?:\\/[^"\s\\]*)*`)
	frameNamed  = regexp.MustCompile(`"frame"\s*:\s*"([^"]*)"`)
	requestHere = regexp.MustCompile(`"requestId"\s*:\s*"([^"]*)"`)
)

// own has what is known to belong to the traced tab.
type own struct {
	frames    map[string]bool // nil if the trace doesn't say which frames belong to the tab
	requests  map[string]bool
	addresses map[string]bool // addresses of its documents and of their requests
}

// own returns what belongs to the traced tab. It is called once the collected events are settled.
func (c *collected) own() *own {
	o := &own{requests: map[string]bool{}, addresses: map[string]bool{}}
	if len(c.frames) > 0 {
		o.frames = c.frames
	}
	for id, r := range c.requests {
		o.requests[id] = true
		o.addresses[r.URL] = true
	}
	for _, documents := range c.documents {
		for _, d := range documents {
			o.addresses[d.url] = true
		}
	}
	return o
}

// has says whether [Report.Own] may copy an event: it contains no address, or belongs to the traced tab.
func (o *own) has(event []byte) bool {
	if o.frames == nil || !bytes.Contains(event, []byte(":/")) && !bytes.Contains(event, []byte(`:\/`)) {
		return true
	}
	if named := frameNamed.FindAllSubmatch(event, -1); len(named) > 0 {
		for _, m := range named {
			if len(m[1]) > 0 && !o.frames[string(m[1])] {
				return false
			}
			if len(m[1]) == 0 && !o.requested(event) {
				return false
			}
		}
		return true
	}
	return o.requested(event)
}

// requested says whether an event without a frame is about one of the tab's requests, or contains only addresses that
// the tab itself has requested.
func (o *own) requested(event []byte) bool {
	if m := requestHere.FindSubmatch(event); m != nil {
		return o.requests[string(m[1])]
	}
	for _, address := range anAddress.FindAll(event, -1) {
		if !o.addresses[clip(string(bytes.ReplaceAll(address, []byte(`\/`), []byte("/"))))] {
			return false
		}
	}
	return true
}

// Own copies the trace of the report, compressed by gzip, without events that contain an address and don't belong to
// the traced tab. (Chrome records what all tabs do.) It may be called only once, because it drops the data that it
// needs.
func (r *Report) Own(from io.Reader, to io.Writer) error {
	is := r.own
	if r.own = nil; is == nil {
		return errors.New("copy the trace: it was copied before")
	}
	z := gzip.NewWriter(to)
	out := bufio.NewWriterSize(z, 64<<10)
	separator := ""
	write := func(e *Event) {
		if json.Valid(e.raw) && is.has(e.raw) {
			_, _ = out.WriteString(separator)
			_, _ = out.Write(e.raw)
			separator = ",\n"
		}
	}
	_, _ = out.WriteString(`{"traceEvents":[`)
	if _, err := Read(from, write); err != nil {
		return err
	}
	_, _ = out.WriteString(`],"metadata":{}}`)
	if err := errors.Join(out.Flush(), z.Close()); err != nil { // the first error of any write
		return fmt.Errorf("copy the trace: %w", err)
	}
	return nil
}
