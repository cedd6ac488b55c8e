package automation

import (
	"net/http"
	"strings"
	"testing"
)

// TestPortedNetwork has the cases of network.test.ts.
func TestPortedNetwork(t *testing.T) {
	const preserved = `{"includePreservedRequests":true}`
	port(t, []ported{
		{name: "list_network_requests lists the requests", do: func(r real) {
			r.visits("/one")
			r.says("list_network_requests", `{}`, "GET /one [200]")
		}},
		{name: "list_network_requests lists those of the current document", do: func(r real) {
			r.visits("/one", "/two", "/three")
			got := r.call("list_network_requests", `{}`).Text
			if strings.Contains(got, "/one") || strings.Contains(got, "/two") || !strings.Contains(got, "GET /three [200]") {
				r.t.Errorf("it says %s", got)
			}
		}},
		{name: "list_network_requests lists those of documents before, if asked for", do: func(r real) {
			r.visits("/one", "/two", "/three")
			for _, path := range []string{"/one", "/two", "/three"} {
				r.says("list_network_requests", preserved, "GET "+path+" [200]")
			}
		}},
		{name: "list_network_requests lists redirects and navigations by scripts", do: func(r real) {
			r.Site.Set("/redirected", `<script>location = "/last"</script>`)
			r.Site.Set("/last", "<main>twice redirected</main>")
			r.Site.Handle(func(w http.ResponseWriter, q *http.Request) bool {
				if q.URL.Path != "/redirect" {
					return false
				}
				http.Redirect(w, q, "/redirected", http.StatusFound)
				return true
			})
			r.says("navigate_page", `{"url":"`+r.Site.URL("a", "/redirect")+`"}`, "The page is at")
			r.says("wait_for", `{"text":["twice redirected"]}`, "is shown")
			for _, request := range []string{"reqid=1 GET /redirect [302] → reqid=2", "reqid=2 GET /redirected [200]", "reqid=3 GET /last [200]"} {
				r.says("list_network_requests", preserved, request)
			}
		}},
		{name: "get_network_request gives one request", do: func(r real) {
			r.visits("/one")
			r.says("get_network_request", r.request("/one"), "of /one")
		}},
		{name: "get_network_request doesn't list the others", do: func(r real) {
			r.visits("/one", "/two")
			if got := r.call("get_network_request", r.request("/two")); got.IsError || strings.Contains(got.Text, "/one") {
				r.t.Errorf("it says %s", got.Text)
			}
		}},
		{name: "get_network_request gives a request of a document before", do: func(r real) {
			r.visits("/one", "/two", "/three")
			r.says("get_network_request", r.request("/one"), "of /one")
		}},
	})
}

// visits has the page load one document after the other.
func (r real) visits(paths ...string) {
	r.t.Helper()
	for _, path := range paths {
		r.Site.Set(path, "<main>of "+path+"</main>")
		r.says("navigate_page", `{"url":"`+r.Site.URL("a", path)+`"}`, "The page is at")
	}
}

// request is the arguments with the id of the request for a path.
func (r real) request(path string) string {
	r.t.Helper()
	list := r.call("list_network_requests", `{"includePreservedRequests":true}`).Text
	for line := range strings.Lines(list) {
		if id, rest, _ := strings.Cut(strings.TrimPrefix(line, "reqid="), " "); strings.HasPrefix(rest, "GET "+path+" ") {
			return `{"reqid":` + id + `}`
		}
	}
	r.t.Fatalf("no request for %s:\n%s", path, list)
	return ""
}
