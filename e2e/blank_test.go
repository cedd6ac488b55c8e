package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestFormThatOpensATab: Chrome never answers it, so the tab is the answer.
func TestFormThatOpensATab(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	p := c.open(t, pages.url("plain.html"))
	p.eval(`document.body.insertAdjacentHTML('beforeend', '<form toolname=find tooldescription=d toolautosubmit target=_blank action="/plain.html"><input name=q><button>Go</button></form>'), 0`)
	name := h.waitTool(toolName("0", "find")).Name
	if got := h.call(name, map[string]any{"q": "tea"}); got.IsError || !strings.Contains(textOf(got), "in a new tab: "+pages.url("plain.html")+"?q=tea") {
		t.Errorf("got %s", asJSON(got))
	}
}

// blankForms serves a page whose form shows its result in a new tab.
func blankForms(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><form toolname=find tooldescription=d toolautosubmit target=_blank action=/found><input name=q><button>Go</button></form>`)
	}))
	t.Cleanup(s.Close)
	return s
}
