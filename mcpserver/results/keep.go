package results

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"webmcphub/registry/sanitize"
)

const (
	// Scheme is the URI scheme of the resources that are whole results.
	Scheme = "webmcp-result://"

	// pageTokens is the length of a page of a whole result for clients without a limit.
	pageTokens = 20_000

	// resultMeta is the key in _meta of results that were cut.
	resultMeta = "webmcp-hub/result"
)

// Reader describes the client that gets a result.
type Reader struct {
	Session string // "" for a client without one
	Max     int    // how many tokens it accepts; 0 means no limit
	Tool    string // the tool with which it reads more; "" if it has only resources/read
	Attribution
}

// Fit does what the function [Fit] does, and keeps what was cut. notice is the notice about that to the client, or ""
// if nothing was cut.
func (s *Store) Fit(result json.RawMessage, r Reader,
	valid func(json.RawMessage) bool) (fitted json.RawMessage, notice string) {
	cut := Fit(result, r.Max, valid)
	if !cut.Cut {
		return result, ""
	}
	uri, notice := s.keepFor(r, cut.Whole, cut.JSON, cut.Missing)
	if uri == "" {
		return cut.Result, notice
	}
	meta := sanitize.Encode(map[string]any{resultMeta: map[string]any{"uri": uri, "bytes": len(cut.Whole)}})
	return sanitize.WithMeta(sanitize.Result{JSON: cut.Result}, meta).JSON, notice
}

// FitValue is Fit for a single JSON value that is longer than allowed.
func (s *Store) FitValue(value json.RawMessage, r Reader) (short json.RawMessage, notice string) {
	short, missing, ok := JSON(value, r.Max, true)
	if !ok {
		short, missing = json.RawMessage("null"), []string{"all of it"}
	}
	_, notice = s.keepFor(r, string(value), true, missing)
	return short, notice
}

// keepFor keeps a whole result. It returns the result's address, or "" if the result is too long to be kept, and the
// notice to the client.
func (s *Store) keepFor(r Reader, text string, isJSON bool, missing []string) (uri, notice string) {
	notice = fmt.Sprintf("this was cut to %d tokens: %s. ", r.Max, strings.Join(missing, "; "))
	name := rand.Text()
	if !s.Keep(r.Session, name, Whole{Text: text, JSON: isJSON, Attribution: r.Attribution}, time.Now()) {
		return "", notice + "It was too long to be kept as a whole"
	}
	how, until := "resources/read", "as long as this session lasts"
	if r.Tool != "" {
		how += " and " + r.Tool
	}
	if r.Session == "" {
		until = fmt.Sprintf("within %v", KeptFor)
	}
	uri = Scheme + name
	return uri, notice + fmt.Sprintf("The whole (%d bytes) is %s for %s, %s", len(text), uri, how, until)
}

// Part is one page of a whole result, as its client reads it.
type Part struct {
	URI    string // address of this page
	Next   string // address of the next page; "" if this is the last one
	Cursor string // cursor of the next page; "" if this is the last one
	Text   string
	Type   string // MIME type
	Note   string // says that there is more; "" on the last page
	Attribution
}

// Read returns the page that a client requests. If cursor is not "", it counts instead of the cursor in uri.
func (s *Store) Read(r Reader, uri, cursor string) (p Part, err error) {
	name, query, _ := strings.Cut(strings.TrimPrefix(uri, Scheme), "?")
	if cursor == "" {
		cursor = strings.TrimPrefix(query, "cursor=")
	}
	from := 0
	if cursor != "" {
		if from, err = strconv.Atoi(cursor); err != nil {
			return p, fmt.Errorf("%q is not a cursor: continue with the address at the end of the previous page",
				sanitize.Text(cursor, 64))
		}
	}
	whole, there := s.Find(r.Session, name, time.Now())
	if !strings.HasPrefix(uri, Scheme) || !there {
		return p, fmt.Errorf("there is no result %s: it was another session's, or went to make room for newer ones. "+
			"Call its tool again", sanitize.Text(uri, 128))
	}
	max := r.Max
	if max <= 0 {
		max = pageTokens
	}
	at, to, there := whole.page(from, max)
	if !there {
		return p, fmt.Errorf("%s has %d bytes, and nothing at %d", Scheme+name, len(whole.Text), from)
	}
	p = Part{URI: uri, Text: whole.Text[at:to], Type: "text/plain", Attribution: whole.Attribution}
	more := to < len(whole.Text)
	if whole.JSON && !more && from == 0 {
		p.Type = "application/json"
	}
	if more {
		p.Cursor = strconv.Itoa(to)
		p.Next = Scheme + name + "?cursor=" + p.Cursor
		p.Note = fmt.Sprintf("[webmcp-hub: these are bytes %d to %d of %d. They go on at %s]", at, to,
			len(whole.Text), p.Next)
	}
	return p, nil
}
