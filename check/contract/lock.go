package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"webmcphub/check/lint"
	"webmcphub/internal/jsonrpc"
)

// format is the number of the lock file's format.
const format = 1

// A Lock is the content of a lock file: the tools of each page, by the page's [Lock.Key].
type Lock struct {
	Version int                    `json:"version"`
	Pages   map[string][]lint.Tool `json:"pages"`
}

// ErrNewer is the error for a lock file of a newer program.
var ErrNewer = errors.New("it was written by a newer webmcp-hub")

// Read reads a lock file. The error is [ErrNewer] if a newer program wrote it.
func Read(text []byte) (l Lock, err error) {
	var of struct {
		Version int `json:"version"`
	}
	// Every later version will have this member.
	if json.Unmarshal(text, &of) == nil && of.Version > format {
		return l, fmt.Errorf("%w: it is of version %d, and this one reads version %d", ErrNewer, of.Version, format)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, fmt.Errorf("it is no lock file of webmcp-hub check: %w", err)
	}
	switch {
	case d.More():
		return l, errors.New("it is no lock file of webmcp-hub check: something follows the object")
	case l.Version != format:
		return l, fmt.Errorf("it is of version %d, and this webmcp-hub reads version %d", l.Version, format)
	}
	for page, tools := range l.Pages {
		for i, t := range tools {
			if t.Name == "" {
				return l, fmt.Errorf("tool %d of the page %s has no name", i, page)
			}
		}
	}
	return l, nil
}

// Write returns the file's text. It is the same for the same tools, whatever their order.
func (l Lock) Write() ([]byte, error) {
	l.Version = format
	for page, tools := range l.Pages {
		l.Pages[page] = sorted(tools)
	}
	return jsonrpc.EncodeFile(l, "  ")
}

// Set stores a page's current tools in the lock.
func (l *Lock) Set(key string, tools []lint.Tool) {
	if l.Pages == nil {
		l.Pages = map[string][]lint.Tool{}
	}
	l.Pages[key] = sorted(tools)
}

// sorted returns the tools sorted by name, with the members of their schemas sorted, too.
func sorted(tools []lint.Tool) []lint.Tool {
	all := slices.Clone(tools)
	for i := range all {
		all[i].Source = lint.Source{}
		all[i].InputSchema, all[i].OutputSchema = canonical(all[i].InputSchema), canonical(all[i].OutputSchema)
	}
	slices.SortStableFunc(all, func(a, b lint.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func canonical(raw json.RawMessage) json.RawMessage {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	return jsonrpc.MustEncode(v)
}

// Key returns the name of a page in the lock file. If the file already has the page's whole address, that is the
// name. Otherwise it is the path and what follows, so that the same lock works on any host and port; or the whole
// address, if several of the checked addresses share a path. A file on disk is known by its name.
func (l *Lock) Key(address string, all []string) string {
	address = whole(address)
	if _, ok := l.Pages[address]; ok {
		return address
	}
	others := map[string]bool{}
	for _, a := range all {
		if a = whole(a); Path(a) == Path(address) {
			others[a] = true
		}
	}
	if len(others) > 1 {
		return address
	}
	return Path(address)
}

// whole returns an address without user name and password.
func whole(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// Path returns an address without its scheme, host and port; of a file on disk its name.
func Path(address string) string {
	u, err := url.Parse(address)
	switch {
	case err == nil && u.Scheme == "file":
		return "/" + u.Path[strings.LastIndex(u.Path, "/")+1:]
	case err != nil || u.Host == "":
		return address
	}
	u.Scheme, u.Host, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}
