package registry

import (
	"fmt"
	"slices"
	"strings"
)

// maxListed is how many browsers an error names.
const maxListed = 50

// FindBrowsers returns the names of the browsers that an agent means: the browser with that name, or else the
// browsers with that label. Connected browsers come first; otherwise the order is that of all. The error, for the
// agent, says which browsers there are. An empty nameOrLabel returns no names: any browser will do.
func FindBrowsers(all []Browser, nameOrLabel string) (names []string, err error) {
	if nameOrLabel == "" {
		return nil, nil
	}
	var away []string
	for _, b := range all {
		switch {
		case b.Name == nameOrLabel:
			return []string{b.Name}, nil
		case !slices.Contains(b.Labels, nameOrLabel):
		case b.Status == "":
			names = append(names, b.Name)
		default:
			away = append(away, b.Name)
		}
	}
	if names = append(names, away...); len(names) > 0 {
		return names, nil
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no browser %q: the hub has one browser only, so leave browser out",
			shortened(nameOrLabel))
	}
	return nil, fmt.Errorf("no browser has the name or the label %q. The browsers are: %s", shortened(nameOrLabel),
		BrowsersText(all))
}

// shortened returns a word of the agent, cut for quoting it back.
func shortened(word string) string {
	if len(word) > 100 {
		word = strings.ToValidUTF8(word[:100], "") + "…"
	}
	return word
}

// BrowsersText names browsers in one line.
func BrowsersText(all []Browser) string {
	words := make([]string, 0, len(all))
	for i, b := range all {
		if i == maxListed {
			words = append(words, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		word := b.Name
		if len(b.Labels) > 0 {
			word += " (" + strings.Join(b.Labels, ", ") + ")"
		}
		if b.Status != "" {
			word += " [not connected]"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// BrowserStatus returns the status of one browser; "" for one that is connected or unknown.
func BrowserStatus(all []Browser, name string) string {
	for _, b := range all {
		if b.Name == name {
			return b.Status
		}
	}
	return ""
}

// ListedBrowser is a browser in a structured result.
type ListedBrowser struct {
	NamedBrowser
	Connected bool   `json:"connected"`
	Status    string `json:"status,omitempty"` // why it isn't connected
}

// BrowserListSchema is the member "browsers" in the schema of a result, for the list that [ListBrowsers] returns.
const BrowserListSchema = `"browsers":{"type":"array","description":"All browsers of the hub.","items":{"type":"object","properties":{` +
	`"name":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"connected":{"type":"boolean"},"status":{"type":"string","description":"Why it is not connected."}},` +
	`"required":["name","connected"]}}`

// ListBrowsers returns the browsers for a structured result; nil if all is empty.
func ListBrowsers(all []Browser) (listed []ListedBrowser) {
	for _, b := range all {
		listed = append(listed, ListedBrowser{b.NamedBrowser, b.Status == "", b.Status})
	}
	return listed
}
