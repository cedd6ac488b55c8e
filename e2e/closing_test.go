package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestClosingATabWithADialog: a tab whose frame of another site shows a dialog is closed, and the browser goes on with its other tabs.
func TestClosingATabWithADialog(t *testing.T) {
	t.Parallel()
	h := launchHub(t, "--automation", "--chrome-arg=--site-per-process")
	h.call("new_page", map[string]any{"url": pages.url("plain.html", "of=stays")})
	for i, tool := range []string{"close_tab", "close_page"} {
		for j, script := range []string{"alert(1)", "confirm(1)"} {
			of := fmt.Sprintf("of=closes-%d-%d", i, j)
			id := h.opensADialog(of, script, nil)
			argument := map[string]any{"tabId": id}
			if tool == "close_page" {
				argument = map[string]any{"pageId": id}
			}
			if got := h.call(tool, argument); got.IsError {
				t.Errorf("%s with %s says %s", tool, script, textOf(got))
			}
			if list := textOf(h.call("list_pages", nil)); !strings.Contains(list, "of=stays") || strings.Contains(list, of) {
				t.Fatalf("after %s with %s there is %s", tool, script, list)
			}
		}
	}
}

// opensADialog opens a tab whose frame of another site shows a dialog, and gives the tab's id.
func (h *hub) opensADialog(of, script string, more map[string]any) any {
	h.t.Helper()
	arguments := map[string]any{"url": pages.url("plain.html", of)}
	maps.Copy(arguments, more)
	h.call("new_page", arguments)
	h.call("evaluate_script", map[string]any{"function": `() => new Promise((done) => {
		const f = document.createElement('iframe');
		f.onload = () => done();
		f.src = ` + quoted(pages.otherSite("plain.html", "of=frame")) + `;
		document.body.append(f);
	})`})
	if got := h.call("evaluate_script", map[string]any{"frame": "of=frame", "function": "() => { setTimeout(() => { " + script + " }, 100) }"}); got.IsError {
		h.t.Fatal(textOf(got))
	}
	var list string
	for !strings.Contains(list, "dialog open") {
		list = textOf(h.call("list_pages", nil))
	}
	return number(regexp.MustCompile(`(\d+): .*` + of).FindStringSubmatch(list)[1])
}

// TestAContextWithADialogEnds: the tabs of a client's isolated context are closed with the client, also one
// whose frame of another site shows a dialog, and the browser goes on with its other tabs.
func TestAContextWithADialogEnds(t *testing.T) {
	t.Parallel()
	chromePath(t)
	flags := []string{"--headless", "--user-data-dir", t.TempDir(), "--automation", "--chrome-arg=--site-per-process"}
	stays := startHub(t, flags...)
	stays.call("new_page", map[string]any{"url": pages.url("plain.html", "of=stays")})
	goes := startHub(t, flags...)
	goes.opensADialog("of=goes", "alert(1)", map[string]any{"isolatedContext": "own"})
	if err := goes.client.Close(); err != nil {
		t.Fatal(err)
	}
	var list string
	poll(t, "the context doesn't end", func() bool {
		list = textOf(stays.call("list_pages", nil))
		return !strings.Contains(list, "of=goes")
	})
	if got := stays.call("evaluate_script", map[string]any{"function": "() => location.search"}); !strings.Contains(textOf(got), "of=stays") {
		t.Errorf("after the end of the context the other page says %s; there is %s", textOf(got), list)
	}
}

// TestACheckedPageWithADialog: the tab of a check is closed, though its frame of another site shows a dialog, and the
// user's browser goes on.
func TestACheckedPageWithADialog(t *testing.T) {
	t.Parallel()
	c := ownChromeWith(t, true, "--site-per-process")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/frame" {
			_, _ = io.WriteString(w, "<script>setTimeout(() => alert(1), 100)</script>")
			return
		}
		_, _ = io.WriteString(w, `<title>Has a frame</title><iframe src="http://`+
			strings.Replace(r.Host, "127.0.0.1", "localhost", 1)+`/frame"></iframe>`)
	}))
	defer site.Close()
	cmd := exec.Command(hubUnderTest(t), "check", "--browser-url", c.browserURL(), site.URL)
	cmd.Env = environ(t)
	report, _ := cmd.CombinedOutput() // it fails, as the page has no tools
	if got, err := http.Get(c.browserURL() + "/json/version"); err != nil {
		t.Errorf("the browser has ended: %v\n%s", err, report)
	} else {
		_ = got.Body.Close()
	}
}
