package registry

import "testing"

// TestWays: the browser is there for agents while any way to one is well.
func TestWays(t *testing.T) {
	s := NewState(Options{})
	for _, step := range []struct {
		e    BrowserChanged
		want string
	}{
		{BrowserChanged{Status: "no Chrome"}, "no Chrome"},
		{BrowserChanged{ByExtension, "no extension"}, "no Chrome; no extension"},
		{BrowserChanged{Way: ByExtension}, ""},
		{BrowserChanged{}, ""},
		{BrowserChanged{ByExtension, "no extension"}, ""},
		{BrowserChanged{Status: "lost"}, "lost; no extension"},
	} {
		s.Step(step.e)
		s.Step(FlushDue{})
		if got := s.Catalog().BrowserStatus(); got != step.want {
			t.Errorf("after %+v the status is %q, want %q", step.e, got, step.want)
		}
	}
	s = s.Anew()
	s.Step(BrowserChanged{})
	s.Step(FlushDue{})
	if got := s.Catalog().BrowserStatus(); got != "" {
		t.Errorf("anew it is %q", got)
	}
}
