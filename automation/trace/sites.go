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

var site = regexp.MustCompile(`(?i)\b(https?):(?:\\?/){2}(?:[^\s/\\"'?#@<>]*@)?(\[[0-9a-f:.]+\](?::\d+)?|[^\s/\\"'?#@<>:]+(?::\d+)?)`)

// Sites are the beginnings (https://host:port) of all addresses in a trace's file, compressed
// by gzip, in order. They are those of all tabs of the browser: Chrome records what all did. A
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
		for _, m := range site.FindAllSubmatchIndex(text, -1) {
			if m[0] < whole {
				found[strings.ToLower(string(text[m[2]:m[3]])+"://"+string(text[m[4]:m[5]]))] = true
			}
		}
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
