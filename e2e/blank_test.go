package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestFormThatOpensATab: Chrome never answers it, so the tab is the answer.
func TestFormThatOpensATab(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	h := attachHub(t, c)
	s := blankForms(t)

	p := c.openAndLeave(t, s.URL) // nobody has touched this page
	name := h.waitTool(toolAt(s.URL, "find")).Name
	wantError(t, h.call(name, map[string]any{"q": "tea"}), "The browser has blocked a new tab ("+s.URL+"/found?q=tea)")
	if n := s.found.Load(); n != 0 {
		t.Errorf("a form whose tab was blocked was sent %d times", n)
	}
	for _, rel := range []string{"", "noopener", "opener"} {
		p.eval(fmt.Sprintf(`void document.forms[0].setAttribute('rel', %q)`, rel))
		began := time.Now()
		wantShown(t, h, h.call(name, map[string]any{"q": "tea" + rel}), s.URL+"/found?q=tea"+rel)
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("rel=%q took %v", rel, took)
		}
	}

	// A form waits for its user, and meanwhile another frame opens a tab.
	asked := h.start(t.Context(), toolAt(s.URL, "ask"), map[string]any{"q": "milk"})
	p.eval(`new Promise(done => (function look() { document.forms[1].q.value === 'milk' ? done() : setTimeout(look, 10) })())`)
	p.eval(`new Promise(done => { const f = document.createElement('iframe'); f.onload = done; f.src = '/inner'; document.body.append(f) })`)
	p.eval(`void frames[0].setTimeout("open('/other')")`)
	h.waitTool(strings.Replace(toolAt(s.URL, "ask"), "page0", "page4", 1))
	select {
	case got := <-asked:
		t.Fatalf("answered by another frame's tab: %s", asJSON(got))
	default:
	}
	p.eval(`void document.forms[1].querySelector('button').click()`)
	wantShown(t, h, h.await(asked), s.URL+"/found?q=milk")
}

// wantShown holds a result to the tab that has the address, whose page has tools.
func wantShown(t *testing.T, h *hub, got *mcp.CallToolResult, url string) {
	t.Helper()
	id := 0
	h.waitTools("those of "+url+", for "+textOf(got), func([]mcp.Tool) bool {
		var listed struct {
			Tabs []struct {
				ID  int
				URL string
			}
		}
		if err := json.Unmarshal([]byte(textOf(h.call("list_tabs", nil))), &listed); err != nil {
			t.Fatal(err)
		}
		for _, tab := range listed.Tabs {
			if tab.URL == url {
				id = tab.ID
			}
		}
		return id != 0
	})
	if want := fmt.Sprintf("opened in tab %d]", id); got.IsError || !strings.Contains(textOf(got), "in a new tab: "+url+".") || !strings.Contains(textOf(got), want) {
		t.Errorf("got %s, want %s", asJSON(got), want)
	}
}

// blankServer serves a page whose forms show their results in a new tab.
type blankServer struct {
	*httptest.Server
	found atomic.Int64 // how often a form was sent
}

func blankForms(t *testing.T) *blankServer {
	t.Helper()
	s := &blankServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/found" {
			s.found.Add(1)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html>
			<form toolname=find tooldescription=d toolautosubmit target=_blank action=/found><input name=q><button>Go</button></form>
			<form toolname=ask tooldescription=d target=_blank action=/found><input name=q><button>Go</button></form>`)
	}))
	t.Cleanup(s.Close)
	return s
}
