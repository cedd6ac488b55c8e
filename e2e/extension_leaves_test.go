package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestNothingIsNoNavigation: a tool that has nothing to say is not taken for a
// form that navigates.
func TestNothingIsNoNavigation(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	p := c.open(t, pages.url("forms.html"))
	c.pair(pair.port, pair.token)
	h.waitTool(toolName("0", "find"))
	for name, value := range map[string]string{"none": "undefined", "null": "null"} {
		p.eval(fmt.Sprintf(`void document.modelContext.registerTool({name: %q, description: "Gives nothing", execute: () => %s})`, name, value))
		h.waitTool(toolName("0", name))
		begun := time.Now()
		if got := h.call(toolName("0", name), nil); got.IsError || time.Since(begun) > 5*time.Second {
			t.Errorf("%s: %s after %v", name, asJSON(got), time.Since(begun))
		}
	}
}

// formsThatLead are the forms of formServer: where they lead (HERE is its
// origin, OTHER another one), and what they are answered with.
var formsThatLead = []struct{ tool, action, want string }{
	{"plain", "/plain", "The tool navigated the page to HERE/plain. The page's tools may have changed: list them again."},
	{"data", "/data", ledData},
	{"redirected", "/to?/data", ledData},
	{"by_another_site", "OTHER/to?HERE/data", ledData},
	{"other_site", "OTHER/data", `The page navigated to OTHER/data while tool "other_site" ran; whether it took effect is unknown. List the tools again: the page's tools have changed.`},
}

// formsThatStay lead to no page.
var formsThatStay = []struct{ tool, action string }{
	{"nothing", "/nothing"},
	{"download", "/file"},
	{"mail", "mailto:shop@shop.test"},
}

const ledNowhere = "The form was sent, and its page stays, because no page came of it: the server has nothing to show (204 No Content)"

// ledData is what Chrome reads of the page /data: scripts of exactly the type,
// of HTML, in the document's own tree, which are JSON.
const ledData = `[{"booking":7,"note":"é"},17,null,{"a":2,"b":1},"deep"]`

// formServer serves a page of forms, and the pages that they lead to.
func formServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><title>"+path+"</title>"+body)
		})
	}
	var list strings.Builder
	form := func(tool, action string) {
		fmt.Fprintf(&list, `<form toolname=%q tooldescription="Goes on" toolautosubmit method=post action=%q><button>Go</button></form>`,
			tool, strings.NewReplacer("OTHER", otherOrigin(s.URL), "HERE", s.URL).Replace(action))
	}
	for _, f := range formsThatLead {
		form(f.tool, f.action)
	}
	for _, f := range formsThatStay {
		form(f.tool, f.action)
	}
	form("refused", "/hangup")
	page("/", list.String())
	page("/plain", "Thanks")
	page("/data", `<script type="application/ld+json">{"booking": 7, "note": "é"}</script>
		<script type="application/ld+json">not JSON</script>
		<script type="APPLICATION/LD+JSON">["upper case"]</script>
		<script type=" application/ld+json ">["spaces"]</script>
		<script type="application/ld+json; charset=utf-8">["parameters"]</script>
		<script type="application/ld+json"></script>
		<script type="application/ld+json">17</script>
		<script type="application/ld+json">null</script>
		<script type="application/ld+json">{"a": 1, "a": 2, "b": 1.0}</script>
		<template><script type="application/ld+json">"in a template"</script></template>
		<svg><script type="application/ld+json">"svg"</script></svg>
		<div id="host"><template shadowrootmode="open"><script type="application/ld+json">"in a shadow tree"</script></template></div>
		<div><script type="application/ld+json">"deep"</script></div>
		<iframe srcdoc='<script type="application/ld+json">"in a frame"</script>'></iframe>`)
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.RawQuery, http.StatusSeeOther) })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=tea.txt")
		fmt.Fprint(w, "tea")
	})
	mux.HandleFunc("/hangup", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) })
	return s
}

// TestFormsThatNavigateAlike: a declarative form that navigates its page is
// answered alike over the debugging port and by the extension.
func TestFormsThatNavigateAlike(t *testing.T) {
	t.Parallel()
	s := formServer(t)
	lead := func(t *testing.T, h *hub, p *tab) {
		names := strings.NewReplacer("HERE", s.URL, "OTHER", otherOrigin(s.URL))
		for _, f := range formsThatLead {
			name := toolAt(s.URL, f.tool)
			h.waitTool(name)
			begun := time.Now()
			got := h.call(name, nil)
			if want := names.Replace(f.want); textOf(got) != want || time.Since(begun) > 8*time.Second {
				t.Errorf("%s after %v: %s\nwant %s", f.tool, time.Since(begun), asJSON(got), want)
			}
			p.navigate(s.URL)
		}
	}
	stay := func(t *testing.T, h *hub) {
		for _, f := range formsThatStay {
			begun := time.Now()
			got := h.call(h.waitTool(toolAt(s.URL, f.tool)).Name, nil)
			if got.IsError || !strings.HasPrefix(textOf(got), ledNowhere) || time.Since(begun) > 8*time.Second {
				t.Errorf("%s after %v: %s", f.tool, time.Since(begun), asJSON(got))
			}
		}
	}
	t.Run("port", func(t *testing.T) {
		c := nativeChrome(t)
		h := attachHub(t, c)
		lead(t, h, c.open(t, s.URL))
		stay(t, h)
	})
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	p := c.open(t, s.URL)
	c.pair(pair.port, pair.token)
	t.Run("extension", func(t *testing.T) {
		lead(t, h, p)
		stay(t, h)
	})

	// What Chrome says of these over the port comes later, or never.
	t.Run("extension, to a page of Chrome's own", func(t *testing.T) {
		name := toolAt(s.URL, "refused")
		h.waitTool(name)
		wantError(t, h.call(name, nil), "The page navigated to "+s.URL+"/hangup while tool")
		p.navigate(s.URL)
	})
}

func otherOrigin(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

func toolAt(url, tool string) string {
	return strings.Replace(toolName("0", tool), pages.port(), url[strings.LastIndex(url, ":")+1:], 1)
}

// TestExtensionFormThatOpensATab: its page stays, so the tab is the answer. Chrome
// opens none of a page that nobody has touched, and says nothing of that.
func TestExtensionFormThatOpensATab(t *testing.T) {
	t.Parallel()
	pair := newPairing(t)
	h := startHub(t, pair.flags()...)
	c := sharedExtended(t, true)
	s := blankForms(t)
	c.pair(pair.port, pair.token)
	p := c.openAndLeave(t, s.URL)
	name := h.waitTool(toolAt(s.URL, "find")).Name
	begun := time.Now()
	got := h.call(name, map[string]any{"q": "tea"})
	if got.IsError || !strings.Contains(textOf(got), "within 10 seconds its tab went to no other page. If its result belongs in a new tab, the browser has probably blocked") {
		t.Errorf("a blocked one: got %s", asJSON(got))
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("a blocked one took %v", took)
	}
	p.eval(`0`) // which counts as a user's touch
	begun = time.Now()
	got = h.call(name, map[string]any{"q": "tea"})
	wantShown(t, h, got, s.URL+"/found?q=tea")
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("that took %v", took)
	}
}
