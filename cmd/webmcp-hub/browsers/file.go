package browsers

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/net/http/httpguts"

	"webmcphub/internal/settings"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

const (
	// MaxFile is how large a file of --browsers may be, in bytes.
	MaxFile = 1 << 20
	// maxEntries is how many browsers a file may have. maxLabels is how many labels a browser may have.
	maxEntries = 1000
	maxLabels  = 50
)

// An entry is one browser in a file of --browsers:
//
//	browsers:
//	  - name: work
//	    endpoint: http://127.0.0.1:9222
//	    labels: [eu, test]
//	  - name: grid
//	    endpoint: wss://grid.example/session/7/cdp
//	    headers: {Authorization: {file: grid-token}, X-Team: {env: GRID_TEAM}}
//	    allow: [https://*.shop.example]
//	    deny: [https://admin.shop.example]
//
// One that is wrong has an err; its name is there if that could be read.
type entry struct {
	registry.NamedBrowser
	Endpoint
	rules *names.Origins // the browser's own rules; nil for none
	ruled bool           // the entry has rules, valid or not
	line  int
	err   error
}

// parse reads the text of a file. Relative paths in headers start at folder. err is about the file as a whole, and
// begins with the line.
func parse(text []byte, folder string) (all []entry, err error) {
	list, err := settings.ListItems(text, "browsers")
	if err != nil {
		return nil, err
	}
	if len(list) > maxEntries {
		return nil, fmt.Errorf("%d browsers are too many; there may be %d", len(list), maxEntries)
	}
	for _, item := range list {
		e := entry{line: item.Line}
		e.err = e.read(item, folder)
		all = append(all, e)
	}
	return all, nil
}

// read reads one item of the list.
func (e *entry) read(item *yaml.Node, folder string) error {
	if item.Kind != yaml.MappingNode {
		return settings.ErrorAt(item, "a browser has a name and an endpoint, such as \"- {name: work, endpoint: "+
			"http://127.0.0.1:9222}\"")
	}
	var allow, deny []string
	take := map[string]func(*yaml.Node) error{
		"name":     func(n *yaml.Node) (err error) { e.Name, err = scalar(n); return err },
		"endpoint": func(n *yaml.Node) (err error) { e.URL, err = scalar(n); return err },
		"labels":   func(n *yaml.Node) (err error) { e.Labels, err = scalars(n); return err },
		"headers":  func(n *yaml.Node) (err error) { e.secrets, err = headersIn(n, folder); return err },
		"allow":    func(n *yaml.Node) (err error) { allow, err = someScalars(n); return err },
		"deny":     func(n *yaml.Node) (err error) { deny, err = scalars(n); return err },
	}
	var failures []error
	seen := map[string]bool{}
	for i := 0; i+1 < len(item.Content); i += 2 {
		key := item.Content[i]
		switch member := take[key.Value]; {
		case member == nil:
			failures = append(failures, settings.ErrorAt(key, "%s is unknown; there are name, endpoint, labels, "+
				"headers, allow and deny", keyIn(key)))
		case seen[key.Value]:
			failures = append(failures, settings.ErrorAt(key, "%s is given a second time", key.Value))
		default:
			seen[key.Value] = true
			e.ruled = e.ruled || key.Value == "allow" || key.Value == "deny"
			if err := member(item.Content[i+1]); err != nil {
				failures = append(failures, err)
			}
		}
	}
	if why := registry.BrowserNameError(e.Name); why != "" {
		e.Name = "" // without a valid name the entry can't be matched with an earlier one
		failures = append(failures, settings.ErrorAt(item, "%s", why))
	}
	if len(failures) > 0 {
		return failures[0]
	}
	return e.check(item, allow, deny)
}

// check returns an error if what was read is not valid.
func (e *entry) check(item *yaml.Node, allow, deny []string) (err error) {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme):
		return settings.ErrorAt(item, "endpoint must be a URL that begins with http://, https://, ws:// or wss://") // without the URL, which may be secret
	case len(e.Labels) > maxLabels:
		return settings.ErrorAt(item, "%d labels are too many; there may be %d", len(e.Labels), maxLabels)
	}
	if e.Direct = strings.HasPrefix(u.Scheme, "ws"); !e.Direct && len(e.secrets) > 0 {
		return settings.ErrorAt(item, "headers go with an endpoint that begins with ws:// or wss:// only")
	}
	for _, label := range e.Labels {
		if why := registry.BrowserLabelError(label); why != "" {
			return settings.ErrorAt(item, "%s", why)
		}
	}
	if len(allow)+len(deny) > 0 {
		if e.rules, err = names.ParseOrigins(allow, deny); err != nil {
			return settings.ErrorAt(item, "allow or deny: %w", err)
		}
	}
	return nil // the value of a header is read at each dial
}

// scalar returns the text of a scalar node.
func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", settings.ErrorAt(n, "there must be a plain text")
	}
	return n.Value, nil
}

// scalars returns the texts of a list of scalars, or of one scalar.
func scalars(n *yaml.Node) (all []string, err error) {
	if n.Kind != yaml.SequenceNode {
		one, err := scalar(n)
		return []string{one}, err
	}
	for _, item := range n.Content {
		one, err := scalar(item)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// someScalars is scalars for a list that must not be empty. An empty allow list could be read as allowing nothing,
// or, like no list, as allowing everything.
func someScalars(n *yaml.Node) (all []string, err error) {
	if all, err = scalars(n); err == nil && len(all) == 0 {
		err = settings.ErrorAt(n, "allow has no origin, so no site would be left; leave allow out if all are allowed")
	}
	return all, err
}

// keyIn returns a key as the log may show it. A key that isn't a plain word may be a line with a secret that lacks a
// blank, as in "Authorization:Bearer abc".
func keyIn(key *yaml.Node) string {
	if len(key.Value) > 30 || !httpguts.ValidHeaderFieldName(key.Value) {
		return "a key (is there a blank after its colon?)"
	}
	return strconv.Quote(key.Value)
}
