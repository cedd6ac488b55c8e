package registry

import "strings"

// PageIDIn returns the hub's id of a tab from the id that its browser gave it. Two browsers may use the same ids, so
// the name of a browser that has one comes before the id.
func PageIDIn(browser, own string) string {
	if browser == "" {
		return own
	}
	return browser + "/" + own
}

// PageIDOf returns the browser's own id of a tab from the hub's id. It is the inverse of PageIDIn.
func PageIDOf(browser, page string) string {
	if browser == "" {
		return page
	}
	return strings.TrimPrefix(page, browser+"/")
}

// MaxBrowserName is how long a browser's name may be, in bytes.
const MaxBrowserName = 64

// BrowserNameError says what is wrong with a browser's name, or returns "". Names serve as handles: agents pass them
// back, and page ids begin with them.
func BrowserNameError(name string) string {
	return wordError("a browser's name", name, ". _ - : [ ] #")
}

// BrowserLabelError says what is wrong with a label, or returns "". A label may be a pair, such as os=linux.
func BrowserLabelError(label string) string { return wordError("a label", label, ". _ - : [ ] # =") }

// wordError says what is wrong with a word, or returns "". The word may have letters, digits and signs; signs is a
// list separated by spaces.
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
