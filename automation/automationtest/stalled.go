package automationtest

import (
	"net/http"
	"sync"
	"testing"
)

// Stalls is a script that blocks its process for as long as [Site.Stall] says. It blocks like a loop, but leaves the
// processor to others.
const Stalls = `{ const r = new XMLHttpRequest(); r.open('GET', '/stalls', false); r.send() }`

// Stall makes the scripts [Stalls] block until goOn is called, or the test ends. Those that begin later block until
// goOn is called again. begun delivers a value when the first of them blocks.
func (s *Site) Stall() (begun <-chan struct{}, goOn func()) {
	waits := make(chan struct{}, 1)
	var mu sync.Mutex
	over := make(chan struct{})
	s.Handle(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/stalls" {
			return false
		}
		select {
		case waits <- struct{}{}:
		default: // Chrome asks again when a connection is lost
		}
		mu.Lock()
		until := over
		mu.Unlock()
		select {
		case <-until:
		case <-r.Context().Done():
		}
		return true
	})
	return waits, func() {
		mu.Lock()
		defer mu.Unlock()
		close(over)
		over = make(chan struct{})
	}
}

// Stalled opens a page ("{{a}}") that has only a frame of another host. The frame is red and has been drawn. Its
// script blocks its process until the test ends. host is the frame's, without ".test". It must be a host of its own,
// because frames of one host may share a process.
func Stalled(t testing.TB, host string) *Tab {
	t.Helper()
	tab, _ := StalledUntil(t, host)
	return tab
}

// StalledUntil does the same as [Stalled], but the frame's script ends when goOn is called.
func StalledUntil(t testing.TB, host string) (tab *Tab, goOn func()) {
	t.Helper()
	site := Serve(t, Pages{
		"/red": `<body style="background:red"><script>
			requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => ` + Stalls + `, 100)))</script>`,
	})
	site.Set("/", `<body style="margin:0;background:lime"><iframe style="border:0;width:100vw;height:100vh" src="`+
		site.URL(host, "/red")+`"></iframe>`)
	begun, goOn := site.Stall()
	tab = OpenAt(t, site, site.URL("a", "/"))
	t.Cleanup(goOn)
	select {
	case <-begun:
	case <-tab.Ctx.Done():
		t.Fatal("the frame's script wasn't run")
	}
	return tab, goOn
}
