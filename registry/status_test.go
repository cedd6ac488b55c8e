package registry

import "testing"

// TestWays: the browser is there for agents while any way to one is well.
func TestWays(t *testing.T) {
	s := NewState(Options{})
	for _, step := range []struct {
		e    Event
		want string
	}{
		{BrowserChanged{Status: "no Chrome"}, "no Chrome"},
		{ExtensionChanged{"no extension"}, "no extension; no Chrome"},
		{ExtensionChanged{}, ""},
		{BrowserChanged{}, ""},
		{ExtensionChanged{"no extension"}, ""},
		{BrowserChanged{Status: "lost"}, "no extension; lost"},
	} {
		s.Step(step.e)
		s.Step(FlushDue{})
		if got := s.Catalog().BrowserStatus(); got != step.want {
			t.Errorf("after %+v the status is %q, want %q", step.e, got, step.want)
		}
	}
	s = s.Recover(s.Catalog())
	s.Step(BrowserChanged{})
	s.Step(FlushDue{})
	if got := s.Catalog().BrowserStatus(); got != "" {
		t.Errorf("anew it is %q", got)
	}
}
