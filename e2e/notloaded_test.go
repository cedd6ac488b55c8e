package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestOpenTabThatDoesNotLoad: open_tab has Chrome's own code, and so has
// list_tabs, whether the tab is focused or not. open_tab waits two seconds at
// most, and two more for the code of an error page: what fails later is in list_tabs alone.
func TestOpenTabThatDoesNotLoad(t *testing.T) {
	t.Parallel()
	refused := fmt.Sprintf("http://127.0.0.1:%s/", freePort(t))
	empty := httptest.NewServer(http.NotFoundHandler())
	empty.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	defer empty.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	everyWay(t, true, nil, func(t *testing.T, h *hub, c *chrome) {
		poll(t, "no browser came", func() bool { return !h.call("list_tabs", nil).IsError })
		// open gives the answer, or what list_tabs says of the tab later.
		open := func(url string, focus bool) string {
			t.Helper()
			began := time.Now()
			got := h.call("open_tab", map[string]any{"url": url, "focus": focus})
			if got.IsError {
				return textOf(got)
			}
			if took := time.Since(began); took < 2*time.Second {
				t.Errorf("%s, focus %t: after %v %s", url, focus, took, textOf(got))
			}
			id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(textOf(got))[1]
			state := regexp.MustCompile(`"id":` + id + `,[^}]*"state":"([^"]*\([^"]*)"`) // with the code, which comes after the failure
			var said []string
			poll(t, "the tab has no state", func() bool {
				said = state.FindStringSubmatch(textOf(h.call("list_tabs", nil)))
				return said != nil
			})
			return url + " " + said[1]
		}
		for _, focus := range []bool{true, false} {
			for url, codes := range map[string][]string{
				refused:                   {"net::ERR_CONNECTION_REFUSED"},
				"http://nowhere.invalid/": {"net::ERR_NAME_NOT_RESOLVED"},
				empty.URL:                 {"HTTP ERROR 404", "net::ERR_HTTP_RESPONSE_CODE_FAILURE"},
				untrusted.URL:             {"net::ERR_CERT_AUTHORITY_INVALID"},
			} {
				got := open(url, focus)
				one := false
				for _, code := range codes {
					one = one || strings.Contains(got, url+" did not load ("+code+")")
				}
				if !one {
					t.Errorf("focus %t: %s; want one of %v", focus, got, codes)
				}
			}
		}
		if tabs := textOf(h.call("list_tabs", nil)); !strings.Contains(tabs, `"state":"did not load (net::ERR_CONNECTION_REFUSED)"`) {
			t.Errorf("list_tabs: %s", tabs)
		}
		if got := h.call("open_tab", map[string]any{"url": pages.url("plain.html"), "focus": false}); got.IsError {
			t.Error(textOf(got))
		}
	})
}
