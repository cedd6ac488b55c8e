package extbrowser_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry"
)

// agentsSet notes what popups set.
type agentsSet struct {
	set []string
	err error
}

func (s *agentsSet) SetPaused(origin string, paused bool) error {
	s.set = append(s.set, fmt.Sprintf("%s paused: %v", origin, paused))
	return s.err
}

func (s *agentsSet) SetPermission(origin, permission string) error {
	s.set = append(s.set, fmt.Sprintf("%s: %q", origin, permission))
	return s.err
}

// withPopup is a browser whose popup shows what is set for agents.
func withPopup(instance string) *exttest.Browser {
	b := exttest.New(instance)
	b.AgentStatus = true
	return b
}

// TestExtAgentStatus: a popup is told what is set: at first, after each change, and when its extension has connected anew.
func TestExtAgentStatus(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		agents := &agentsSet{}
		h := NewExtHub(t, func(o *actors.Options) { o.Agents = agents })
		b, other, older := h.Join(withPopup("one")), h.Join(withPopup("two")), h.Join(exttest.New("three"))
		opened := b.OpenTab(Shop)
		h.Quiet()
		page := h.Pub.Current().Tabs()[0].Page
		said := func(b *exttest.Browser, n int, want exttest.Status) {
			t.Helper()
			all := b.Received("agentStatus")
			if len(all) != n || !reflect.DeepEqual(all[n-1].Status, want) {
				t.Fatalf("it was told %+v, want %d and last %+v", all, n, want)
			}
		}
		none := exttest.Status{PausedOrigins: []string{}, PausedTabs: []int{}, Permissions: map[string]string{}}
		said(b, 1, none)
		h.ShowAgentStatus(actors.AgentStatus{Paused: true, Origins: []string{"https://a.example"}, Pages: []registry.PageID{page, "gone"},
			Permissions: map[string]string{"https://b.example": "never"}})
		h.Quiet()
		want := exttest.Status{Paused: true, PausedOrigins: []string{"https://a.example"}, PausedTabs: []int{opened.ID},
			Permissions: map[string]string{"https://b.example": "never"}}
		said(b, 2, want)
		h.AddExtension(b.Connect())
		h.Quiet()
		said(b, 3, want)
		want.PausedTabs = []int{}
		said(other, 2, want)
		if n := len(older.Received("agentStatus")); n != 0 {
			t.Errorf("an older extension was told %d times", n)
		}
	})
}

// TestExtSetsAgents: what popups set is passed on. A popup whose setting fails is told what holds.
func TestExtSetsAgents(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		agents := &agentsSet{}
		h := NewExtHub(t, func(o *actors.Options) { o.Agents = agents })
		b := h.Join(withPopup("one"))
		for _, m := range []string{
			`{"type":"setPaused","paused":true}`, `{"type":"setPaused","origin":"https://a.example","paused":false}`,
			`{"type":"setPermission","origin":"https://a.example","permission":"never"}`,
			`{"type":"setPermission","origin":"https://a.example","permission":"default"}`,
			`{"type":"setPermission","origin":"https://a.example","permission":"always"}`,
		} {
			b.Say(m)
		}
		h.Quiet()
		want := []string{` paused: true`, `https://a.example paused: false`, `https://a.example: "never"`, `https://a.example: ""`}
		if !reflect.DeepEqual(agents.set, want) {
			t.Errorf("set was %q", agents.set)
		}
		agents.err = errors.New("no")
		b.Say(`{"type":"setPaused","origin":"x","paused":true}`)
		h.Quiet()
		if n := len(b.Received("agentStatus")); n != 2 {
			t.Errorf("it was told %d times what holds", n)
		}
	})
}

// TestExtNothingToSet: a hub in which nothing can be set tells nothing, and is not hurt by who tries.
func TestExtNothingToSet(t *testing.T) {
	Bubble(t, func(t *testing.T) {
		h := NewExtHub(t)
		b := h.Join(withPopup("one"))
		b.Say(`{"type":"setPaused","paused":true}`)
		b.Say(`{"type":"setPermission","origin":"https://a.example","permission":"never"}`)
		b.OpenTab(Shop)
		h.Quiet()
		if len(b.Received("agentStatus")) != 0 || len(h.Pub.Current().Tabs()) != 1 {
			t.Errorf("it was told %v, and the tabs are %v", b.Received("agentStatus"), h.Pub.Current().Tabs())
		}
	})
}
