package automation

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"webmcphub/registry"
)

// overExtension is a fakeBrowser whose tabs are debugged by its extension, of which the user is told.
type overExtension struct {
	*fakeBrowser
	attached []registry.PageID
}

func (o *overExtension) Debuggable(registry.PageID) (ported bool, err error) { return false, nil }

func (o *overExtension) Debug(id registry.PageID) (Access, error) {
	o.attached = append(o.attached, id)
	return Access{}, errors.New("it was asked for")
}

// TestNewPageAttachesToItsOwnTab: whether a tab can be debugged is asked without debugging it.
func TestNewPageAttachesToItsOwnTab(t *testing.T) {
	b := &overExtension{fakeBrowser: newFakeBrowser("https://user.test/")}
	a := newAgent(t, New(Options{Browser: b, Categories: Categories()}), b.fakeBrowser, "a")
	if got := a.call("new_page", `{"url":"https://b.test/","isolatedContext":"mine"}`).Text; !strings.Contains(got, "has no isolated contexts") {
		t.Errorf("an isolated context: %s", got)
	}
	if b.attached != nil || b.opened != nil {
		t.Fatalf("asked for a context, it attached to %v and opened %v", b.attached, b.opened)
	}
	for range 2 { // beside no tab, and beside its own
		a.call("new_page", `{"url":"https://b.test/"}`)
	}
	user := b.current().Tabs()[0].Page
	if len(b.opened) != 2 || b.opened[0].URL != "about:blank" || b.opened[1].URL != "about:blank" {
		t.Errorf("it opened %+v", b.opened)
	}
	if len(b.attached) != 2 || slices.Contains(b.attached, user) || b.attached[0] == b.attached[1] {
		t.Errorf("it attached to %v; the user's tab is %s", b.attached, user)
	}
}
