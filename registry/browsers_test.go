package registry

import (
	"slices"
	"strings"
	"testing"
)

// TestStanding: agents are told that there is no browser only while none is connected, and
// then of each, by its name.
func TestBrowsersStanding(t *testing.T) {
	s := BrowserStates{}.Of([]NamedBrowser{{Name: "a"}, {Name: "b", Labels: []string{"eu"}}})
	want := func(what, text string) {
		t.Helper()
		if got := s.Text(); got != text {
			t.Errorf("%s: %q, want %q", what, got, text)
		}
	}
	want("told of neither", "a: "+notConnectedYet+"; b: "+notConnectedYet)
	s = s.With("a", "lost").With("b", "refused")
	want("both ail", "a: lost; b: refused")
	s = s.WithExtension("no extension")
	want("so does the extension", "no extension; a: lost; b: refused")
	before := s
	s = s.With("b", "")
	want("one is well", "")
	if before.Text() == "" {
		t.Error("a standing was modified")
	}
	if got := s.Browsers(); len(got) != 3 || got[0].Status != "lost" || got[1].Status != "" || got[2].Name != ExtensionBrowser || got[2].Status != "no extension" {
		t.Errorf("the browsers are %+v", got)
	}
	s = s.Of([]NamedBrowser{{Name: "c"}, {Name: "a"}})
	want("the one that was well is taken away", "no extension; c: "+notConnectedYet+"; a: lost")
	s = s.With("b", "")
	want("its last words count no more", "no extension; c: "+notConnectedYet+"; a: lost")
	s = BrowserStates{}.Of([]NamedBrowser{})
	want("no browser at all", none)
	if (BrowserStates{}).With("", "gone").Browsers() != nil {
		t.Error("one browser without a name is listed")
	}
}

// TestFind: a name comes before labels, what is connected before what isn't, and a wrong
// word is answered by what there is.
func TestFind(t *testing.T) {
	all := []Browser{
		{NamedBrowser{"one", []string{"eu"}}, "lost"}, {NamedBrowser{"two", []string{"eu", "test"}}, ""}, {NamedBrowser{Name: "eu-3"}, ""}, {NamedBrowser{"test", nil}, "lost"},
	}
	for word, want := range map[string]string{"one": "one", "eu": "two one", "test": "test", "eu-3": "eu-3"} {
		if got, err := FindBrowsers(all, word); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %q, %v; want %s", word, got, err, want)
		}
	}
	_, err := FindBrowsers(all, strings.Repeat("x", 1000))
	if err == nil || len(err.Error()) > 400 || !strings.Contains(err.Error(), "one (eu) [not connected], two (eu, test), eu-3, test [not connected]") {
		t.Errorf("got %v", err)
	}
	if _, err := FindBrowsers(nil, "one"); err == nil || !strings.Contains(err.Error(), "one browser only") {
		t.Errorf("got %v", err)
	}
	if BrowserStatus(all, "one") != "lost" || BrowserStatus(all, "two") != "" || BrowserStatus(all, "nobody") != "" {
		t.Error("a status is another's")
	}
}

// TestPage: ids are different for each pair of a browser and its own id, and lead back to it.
func TestPage(t *testing.T) {
	seen := map[string]bool{}
	for _, browser := range []string{"", "a", "b", "a:1"} {
		for _, own := range []string{"X", "Y"} {
			id := PageIDIn(browser, own)
			if seen[id] || PageIDOf(browser, id) != own {
				t.Errorf("%s of %q is %s", own, browser, id)
			}
			seen[id] = true
		}
	}
	if PageIDIn("", "X") != "X" {
		t.Error("the one browser's tabs have other ids than Chrome's")
	}
}

func TestNameError(t *testing.T) {
	for name, good := range map[string]bool{"work": true, "127.0.0.1:9222": true, "[::1]:9222#2": true, "": false, "a b": false, "a/b": false, ExtensionBrowser: false, strings.Repeat("n", MaxBrowserName+1): false, "ü": false} {
		if why := BrowserNameError(name); (why == "") != good {
			t.Errorf("%q: %q", name, why)
		}
	}
}

func TestLabelError(t *testing.T) {
	for label, good := range map[string]bool{"eu": true, "os=linux": true, "": false, "a b": false, "a/b": false} {
		if why := BrowserLabelError(label); (why == "") != good {
			t.Errorf("%q: %q", label, why)
		}
	}
	if BrowserNameError("a=b") == "" {
		t.Error("a name may be a pair")
	}
}

// TestSame: a catalog is served anew for what agents can see.
func TestSame(t *testing.T) {
	a := []Browser{{NamedBrowser{"one", []string{"eu"}}, ""}}
	for _, b := range [][]Browser{{}, {{NamedBrowser{"one", nil}, ""}}, {{NamedBrowser{"one", []string{"eu"}}, "lost"}}, {{NamedBrowser{"two", []string{"eu"}}, ""}}} {
		if slices.EqualFunc(a, b, Browser.Same) {
			t.Errorf("%+v is the same as %+v", a, b)
		}
	}
}
