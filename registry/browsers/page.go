package browsers

import "strings"

// Page is the hub's id of a tab that its browser knows by an id of its own. Two browsers
// may give the same: the name of one that has a name stands before it.
func Page(browser, own string) string {
	if browser == "" {
		return own
	}
	return browser + "/" + own
}

// Own is the browser's own id of a tab, from the hub's.
func Own(browser, page string) string {
	if browser == "" {
		return page
	}
	return strings.TrimPrefix(page, browser+"/")
}

// MaxName is how long a browser's name may be, in bytes.
const MaxName = 64

// NameError says what is wrong with a browser's name, for whoever gave it; "" if nothing
// is. Names are handles: agents give them back, and ids of tabs begin with them.
func NameError(name string) string {
	switch {
	case name == "":
		return "a browser needs a name"
	case len(name) > MaxName:
		return "a browser's name is at most 64 bytes long"
	case name == Extension:
		return `"` + Extension + `" is what browsers that come by their extension are called; choose another name`
	}
	for _, r := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:[]#", r) {
			return "a browser's name has letters, digits and . _ - : # only, and no spaces"
		}
	}
	return ""
}
