package registry

import "strings"

// Page is the hub's id of a tab that its browser knows by an id of its own. Two browsers
// may give the same: the name of one that has a name stands before it.
func PageIDIn(browser, own string) string {
	if browser == "" {
		return own
	}
	return browser + "/" + own
}

// Own is the browser's own id of a tab, from the hub's.
func PageIDOf(browser, page string) string {
	if browser == "" {
		return page
	}
	return strings.TrimPrefix(page, browser+"/")
}

// MaxName is how long a browser's name may be, in bytes.
const MaxBrowserName = 64

// NameError says what is wrong with a browser's name, for whoever gave it; "" if nothing
// is. Names are handles: agents give them back, and ids of tabs begin with them.
func BrowserNameError(name string) string {
	return wordError("a browser's name", name, ". _ - : [ ] #")
}

// LabelError says likewise what is wrong with a label. One may be a pair, as in os=linux.
func BrowserLabelError(label string) string { return wordError("a label", label, ". _ - : [ ] # =") }

// wordError says what is wrong with a word of letters, digits and signs; these have spaces between them.
func wordError(what, word, signs string) string {
	switch {
	case word == "":
		return what + " is missing or empty"
	case len(word) > MaxBrowserName:
		return what + " is at most 64 bytes long"
	case word == ExtensionBrowser:
		return `"` + ExtensionBrowser +
			`" is what browsers that come by their extension are called; choose another word`
	}
	for _, r := range word {
		if r == ' ' || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"+signs,
			r) {
			return what + " has letters, digits and " + signs + " only, and no spaces"
		}
	}
	return ""
}
