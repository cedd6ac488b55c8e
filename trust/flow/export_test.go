package flow

import (
	"fmt"
	"strings"
	"testing"
)

// TestCarry: at the next hub a client has read what it had read at this one, and nothing
// less where that is too much to tell.
func TestCarry(t *testing.T) {
	to := Action{Session: "2", Origin: evil, Acts: true, Says: []string{"4711"}}
	decided := func(reads ...string) string {
		t.Helper()
		a, b := book(t, Enforce, false), book(t, Enforce, false)
		a.Read("1", reads...)
		read(a, "1", reads...)
		carried := a.Carried("1")
		if len(carried) > maxCarried+10 || strings.ContainsAny(carried, "\r\n") {
			t.Errorf("%d bytes are carried", len(carried))
		}
		b.Carry("2", carried)
		before, after := a.Decide(Action{Session: "1", Origin: evil, Acts: true, Says: []string{"4711"}}), b.Decide(to)
		if len(reads) < 10 && !strings.Contains(fmt.Sprint(reads), "odd") && fmt.Sprint(before.Pairs()) != fmt.Sprint(after.Pairs()) {
			t.Errorf("it was %v and is %v", before, after)
		}
		if before.Mode != after.Mode {
			t.Errorf("%d origins: it flows %t, and after that %t", len(reads), before.Mode != Off, after.Mode != Off)
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
