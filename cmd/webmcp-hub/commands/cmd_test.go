package commands

import "testing"

// TestPlain: other commands are told which page it is, and none of what may be secret about it.
func TestPlain(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:3000/cart":                 "http://localhost:3000/cart",
		"https://me:secret@a.test/?token=secret#top": "https://a.test/",
		"file:///home/me/page.html?":                 "file:///home/me/page.html",
	} {
		if got := plain(address); got != want {
			t.Errorf("%s is told as %s", address, got)
		}
	}
}
