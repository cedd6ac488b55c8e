package flow

import (
	"fmt"
	"strings"
	"testing"
)

// TestCarry: at the next hub a client has read what it had read at this one, and nothing
// less where that is too much to tell.
func TestCarry(t *testing.T) {
	to := Action{Session: "2", Origin: evil, Told: true, Args: true}
	decided := func(reads ...string) string {
		t.Helper()
		a, b := book(t, Enforce, false), book(t, Enforce, false)
		a.Read("1", reads...)
		carried := a.Carried("1")
		if len(carried) > maxCarried+10 || strings.ContainsAny(carried, "\r\n") {
			t.Errorf("%d bytes are carried", len(carried))
		}
		b.Carry("2", carried)
		before, after := a.Decide(Action{Session: "1", Origin: evil, Told: true, Args: true}), b.Decide(to)
		if len(reads) < 10 && !strings.Contains(fmt.Sprint(reads), "odd") && fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("it was %v and is %v", before, after)
		}
		if before.Flows() != after.Flows() {
			t.Errorf("%d origins: it flows %t, and after that %t", len(reads), before.Flows(), after.Flows())
		}
		return carried
	}
	if got := decided(); got != "" {
		t.Errorf("of nothing %q is carried", got)
	}
	if got := decided(crm, mail, "null", ""); got != "unknown "+crm+" "+mail+" null" {
		t.Errorf("%q is carried", got)
	}
	decided(evil)
	decided("https://odd example", "https://evil.test")
	var many []string
	for i := range 2 * maxOrigins {
		many = append(many, fmt.Sprintf("https://www%d.evil.test", i)) // one site, but for what isn't told
	}
	if got := decided(many...); !strings.HasSuffix(got, " "+moreWord) {
		t.Errorf("%q is carried", got)
	}
}
