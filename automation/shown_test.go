package automation

import (
	"net/http"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// TestAddressesKeptOut: of documents that the rules keep out only the origin is told, wherever
// addresses are: the rest may hold tokens.
func TestAddressesKeptOut(t *testing.T) {
	origins, err := names.ParseOrigins(nil, []string{"http://b.test:*"})
	if err != nil {
		t.Fatal(err)
	}
	b := newFakeBrowser("http://a.test/open?q=1", "http://b.test:81/path?token=s3cret")
	s := New(Options{Browser: b, Categories: Categories(), Origins: origins})
	defer s.Close()
	a := newAgent(t, s, b, "1")
	a.says("list_pages", `{}`, "http://a.test/open?q=1")
	for _, c := range []struct{ tool, args string }{
		{"list_pages", `{}`}, {"select_page", `{"pageId":2}`}, {"select_page", `{"pageId":99}`}, {"take_snapshot", `{"pageId":2}`}, {"close_page", `{"pageId":2}`}, {"click", `{"uid":"x"}`},
	} {
		got := a.call(c.tool, c.args)
		if said := string(got.Encode().JSON); strings.Contains(said, "s3cret") || strings.Contains(said, "/path") {
			t.Errorf("%s(%s) tells the address: %s", c.tool, c.args, said)
		} else if !strings.Contains(said, "http://b.test:81") {
			t.Errorf("%s(%s) doesn't tell the origin: %s", c.tool, c.args, said)
		}
	}
	for address, want := range map[string]string{
		"http://b.test:81/path?token=s3cret": "http://b.test:81", "http://u:p@b.test:81/": "http://b.test:81", "data:text/html,s3cret": "an address without an origin",
		"about:blank": "about:blank", "": "", "http://a.test/x?y": "http://a.test/x?y",
	} {
		if got := s.shown(registryTab(address), 200); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}

// TestLedToAnAddressKeptOut: the same where an action, a redirect or a frame leads there.
func TestLedToAnAddressKeptOut(t *testing.T) {
	r := openRuled(t, automationtest.Pages{
		"/":   `<a href="/out">Away</a><iframe name=in src="/in"></iframe><a target=in href="/out">Frame</a>`,
		"/in": `<p>in`, "/secret": `<p>y`, "/two": `<p>two`,
	})
	other := r.Site.URL("c", "/two")
	r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
		switch q.URL.Path {
		case "/out":
			http.Redirect(w, q, r.Site.URL("b", "/secret?token=s3cret"), http.StatusFound)
		case "/other":
			http.Redirect(w, q, other, http.StatusFound)
		default:
			return false
		}
		return true
	})
	kept := func(got *Result, want string) {
		t.Helper()
		if said := got.Text; strings.Contains(said, "s3cret") || !strings.Contains(said, want) {
			t.Errorf("it says %s, want %q", said, want)
		}
	}
	kept(r.call("click", `{"uid":"`+r.uid(`"Frame"`)+`"}`), "Clicked")
	kept(r.call("list_network_requests", `{"includePreservedRequests":true}`), "")
	kept(r.call("click", `{"uid":"`+r.uid(`"Away"`)+`"}`), "The page went to http://b.test")
	kept(r.call("navigate_page", `{"url":"`+r.Site.URL("a", "/out")+`"}`), "led to http://b.test")
	got := r.call("navigate_page", `{"url":"`+r.Site.URL("a", "/other")+`","initScript":"window.early = 1"}`)
	kept(got, "The page is at "+other)
	kept(got, "initScript did not run")
	kept(r.call("list_network_requests", `{"includePreservedRequests":true}`), "")
	kept(r.call("list_network_requests", `{"includePreservedRequests":true,"urlContains":"s3cret"}`), "")
	kept(r.call("list_console_messages", `{"includePreservedMessages":true}`), "")
}

func registryTab(address string) *registry.Tab {
	t := &registry.Tab{}
	t.URL = address
	return t
}
