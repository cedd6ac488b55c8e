package names

import "strings"

// Title is a document's title and an address, as a browser tells them of a tab: the document's address at that moment,
// or, on the way to another document, that one's.
type Title struct{ URL, Text string }

// Of says whether the title is to be shown beside an address that is told in another way: by the
// page's own events, which may come before the browser's word or after it. Where that can't be
// told, as browsers call some of their own pages differently, it is. The address of a document
// that was loaded is told without its fragment, which is passed over then.
func (t Title) Of(address string) bool {
	is, at, _ := strings.Cut(t.URL, "#")
	told, place, placed := strings.Cut(address, "#")
	if !ordinary(is) || !ordinary(told) {
		return true
	}
	return unsigned(is) == unsigned(told) && (!placed || place == at)
}

// ordinary says whether all ways of a browser tell an address of this kind alike.
func ordinary(address string) bool {
	for _, kind := range []string{"http://", "https://", "file://", "about:", "blob:", "data:"} {
		if strings.HasPrefix(address, kind) {
			return true
		}
	}
	return false
}

// unsigned is an address without a user's name and password.
func unsigned(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	end := strings.IndexAny(rest+"/", "/?")
	return scheme + "://" + rest[strings.LastIndex(rest[:end], "@")+1:]
}
