package automation

import "testing"

func TestPresence(t *testing.T) {
	p := RunningCalls{}
	p.Gone("a") // nothing of it is under way
	p.Enter("a")
	p.Enter("a")
	p.Enter("b")
	if p.Leave("a", true) {
		t.Error("another call of the client is under way")
	}
	p.Gone("a")
	if !p.Leave("a", false) || p.Leave("b", false) || len(p) > 0 {
		t.Errorf("a is gone, b is not; left: %v", p)
	}
	p.Enter("b")
	if !p.Leave("b", true) {
		t.Error("that was the last call")
	}
}
