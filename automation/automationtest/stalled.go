package automationtest

import (
	"net/http"
	"testing"
)

// Stalled opens a page ("{{a}}") that is a frame of another host and nothing else. The frame is red,
// has been drawn, and its script keeps its process busy until the test ends. host is the frame's,
// without ".test": one of its own, as frames of one host may share a process.
func Stalled(t testing.TB, host string) *Tab {
	t.Helper()
	site := Serve(t, Pages{
		"/red": `<body style="background:red"><script>
			requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => { const r = new XMLHttpRequest(); r.open('GET', '/stalls', false); r.send() }, 100)))</script>`,
	})
	site.Set("/", `<body style="margin:0;background:lime"><iframe style="border:0;width:100vw;height:100vh" src="`+site.URL(host, "/red")+`"></iframe>`)
	stalled, over := make(chan struct{}, 1), make(chan struct{})
	site.Handle(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/stalls" {
			return false
		}
		stalled <- struct{}{}
		select {
		case <-over:
		case <-r.Context().Done():
		}
		return true
	})
	tab := OpenAt(t, site, site.URL("a", "/"))
	t.Cleanup(func() { close(over) })
	select {
	case <-stalled:
	case <-tab.Ctx.Done():
		t.Fatal("the frame's script wasn't run")
	}
	return tab
}
