package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// maxSites is how many sites one trace may name.
const maxSites = 5000

// longestSite is the longest part of an address that says whose it is, in bytes, with room for
// how JSON may write it, within a string that fills much of the buffer.
const longestSite = 600

// host is what comes behind an address's scheme.
var host = regexp.MustCompile(`(?i)^:(?:\\?/){2}(?:[^\s/\\"'?#@<>]*@)?(\[[0-9a-f:.]+\](?::\d+)?|[^\s/\\"'?#@<>:]+(?::\d+)?)`)

// Sites are the beginnings (https://host:port) of all addresses in a trace's file, compressed
// by gzip, in order. A WebSocket's is that of the site which it is of, and what only looks like an
// address is there, too. They are those of all tabs of the browser: Chrome records what all did. A
// trace with more than maxSites of them is an error, and so is one that can't be read to its end.
func Sites(from io.Reader) ([]string, error) {
	in, err := gzip.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("read the trace: %w", err)
	}
	found := map[string]bool{}
	buffer, kept := make([]byte, 256<<10), 0
	for {
		n, err := in.Read(buffer[kept:])
		text := buffer[:kept+n]
		whole := bytes.LastIndexByte(text, '"') // no address has one: what begins before has its end here, too
		if whole < len(text)/2 {
			whole = max(0, len(text)-longestSite)
		}
		if err != nil {
			whole = len(text)
		}
		sitesIn(text, whole, found)
		switch {
		case len(found) > maxSites:
			return nil, fmt.Errorf("the trace names more than %d sites", maxSites)
		case errors.Is(err, io.EOF):
			return slices.Sorted(maps.Keys(found)), nil
		case err != nil:
			return nil, fmt.Errorf("read the trace: %w", err)
		}
		kept = copy(buffer, text[whole:])
	}
}

// schemes are those of sites, with the longer of two that end alike first. A WebSocket's site is
// that of HTTP.
var schemes = []struct{ is, of string }{{"https", "https"}, {"http", "http"}, {"wss", "https"}, {"ws", "http"}}

// sitesIn finds the sites of addresses that begin in text before an end.
func sitesIn(text []byte, end int, found map[string]bool) {
	for at := 0; ; at++ {
		colon := bytes.IndexByte(text[at:], ':')
		if at += colon; colon < 0 {
			return
		}
		if next := text[at+1:]; len(next) == 0 || next[0] != '/' && next[0] != '\\' {
			continue
		}
		before := strings.ToLower(string(text[max(0, at-len("https")):at]))
		for _, scheme := range schemes {
			if !strings.HasSuffix(before, scheme.is) {
				continue
			}
			if m := host.FindSubmatch(text[at:]); m != nil && at-len(scheme.is) < end {
				found[scheme.of+"://"+strings.ToLower(string(m[1]))] = true
			}
			break
		}
	}
}
