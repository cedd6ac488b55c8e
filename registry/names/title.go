package names

import "strings"

// Title is a document's title with an address, as a browser reports them for a tab. URL is the document's address at
// that moment or, while the tab navigates, that of the next document.
type Title struct{ URL, Text string }

// Of reports whether the title may be shown beside an address from another source: the page's own events, which may
// come before or after the browser's report. If the two can't be compared, because browsers write some of their own
// pages' addresses differently, Of returns true. Events have loaded documents' addresses without the fragment; then Of
// ignores the title's fragment.
func (t Title) Of(address string) bool {
	is, at, _ := strings.Cut(t.URL, "#")
	other, place, placed := strings.Cut(address, "#")
	if !ordinary(is) || !ordinary(other) {
		return true
	}
	return unsigned(is) == unsigned(other) && (!placed || place == at)
}

// ordinary reports whether all of a browser's reports write an address of this kind alike.
func ordinary(address string) bool {
	for _, kind := range []string{"http://", "https://", "file://", "about:", "blob:", "data:"} {
		if strings.HasPrefix(address, kind) {
			return true
		}
	}
	return false
}

// unsigned returns an address without user name and password.
func unsigned(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	end := strings.IndexAny(rest+"/", "/?")
	return scheme + "://" + rest[strings.LastIndex(rest[:end], "@")+1:]
}
