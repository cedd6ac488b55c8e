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

// maxSites bounds the sites that one trace may name.
const maxSites = 5000

// longestSite bounds the part of an address that names its site, in bytes. It has room for JSON's escapes, also in a
// string that fills much of the buffer.
const longestSite = 600

// host matches what follows an address's scheme.
var host = regexp.MustCompile(`(?i)^:(?:\\?/){2}(?:[^\s/\\"'?#@<>]*@)?(\[[0-9a-f:.]+\](?::\d+)?|[^\s/\\"'?#@<>:]+(?::\d+)?)`)

// Sites returns the sites (https://host:port) of all addresses in a trace's file, compressed by gzip, in order. For
// the address of a WebSocket, it returns the corresponding HTTP site. It also returns what only looks like an
// address. The sites are those of all tabs of the browser, because Chrome records what all tabs do. A trace with more
// than maxSites sites, or one that can't be read to its end, is an error.
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
		whole := bytes.LastIndexByte(text, '"') // an address that begins before a quote ends before it
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

// schemes are the schemes of sites. Of two with the same ending, the longer comes first. The site of a WebSocket is
// that of HTTP.
var schemes = []struct{ is, of string }{{"https", "https"}, {"http", "http"}, {"wss", "https"}, {"ws", "http"}}

// sitesIn finds the sites of addresses that begin in text before end.
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
