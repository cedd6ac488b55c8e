package mcpserver

import (
	"strings"
	"testing"
	"time"

	"webmcphub/mcpserver/view"
)

// What a client keeps to itself over HTTP is free once its session is over, or
// it seems to be gone.
func TestHTTPLeaseEnds(t *testing.T) {
	for name, end := range map[string]func(w *web, v *visitor){
		"DELETE":         func(w *web, v *visitor) { w.send("DELETE", "", v.headers...) },
		"it is not used": func(w *web, v *visitor) { <-time.After(defaultIdleAfter + time.Second) },
		"its event stream breaks": func(w *web, v *visitor) {
			s := v.listen()
			<-time.After(2 * defaultIdleAfter) // it counts as use
			if got := v.call("call_webmcp_tool", `{"name":"add"}`); got != "A/add {}" {
				t.Error(got)
			}
			s.hangUp()
			<-time.After(leaseGrace + time.Second)
			if a := v.send(ping); a.body != pong {
				t.Errorf("its session is over: %+v", a)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h, _ := newTabHub(t, view.AllTabs)
				w, _ := h.onPipes(t)
				one, two := w.begin(), w.begin()
				two.listen()
				if got := one.call("focus_tab", `{"tabId":1,"exclusive":true}`); !strings.Contains(got, `"success":true`) {
					t.Fatal(got)
				}
				if got := two.call("call_webmcp_tool", `{"name":"add"}`); !strings.Contains(got, "kept by another client") {
					t.Error(got)
				}
				end(w, one)
				if got := two.call("call_webmcp_tool", `{"name":"add"}`); got != "A/add {}" {
					t.Error(got)
				}
			})
		})
	}
}

// A stream that is opened again in time, or a client that goes on asking, keeps it.
func TestHTTPLeaseOutlivesAStream(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h, _ := newTabHub(t, view.AllTabs)
		w, _ := h.onPipes(t)
		one, two := w.begin(), w.begin()
		two.listen()
		one.call("focus_tab", `{"tabId":1,"exclusive":true}`)
		one.listen().hangUp()
		<-time.After(leaseGrace / 2)
		again := one.listen()
		<-time.After(leaseGrace)
		again.hangUp()
		<-time.After(leaseGrace / 2)
		one.send(ping)
		<-time.After(leaseGrace/2 + time.Second)
		if got := two.call("call_webmcp_tool", `{"name":"add"}`); !strings.Contains(got, "kept by another client") {
			t.Error(got)
		}
	})
}
