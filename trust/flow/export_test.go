package flow

import (
	"fmt"
	"strings"
	"testing"
)

// TestExport: at the next hub a client has read what it had read at this one, and nothing
// less where that is too much to tell.
func TestExport(t *testing.T) {
	to := Action{Session: "2", Origin: evil, Noticeable: true, Texts: []string{"4711"}}
	decided := func(reads ...string) string {
		t.Helper()
		a, b := book(t, Enforce, false), book(t, Enforce, false)
		a.Read("1", reads...)
		read(a, "1", reads...)
		exported := a.Export("1")
		if len(exported) > maxExported+10 || strings.ContainsAny(exported, "\r\n") {
			t.Errorf("%d bytes are exported", len(exported))
		}
		b.Import("2", exported)
		before, after := a.Decide(Action{Session: "1", Origin: evil, Noticeable: true, Texts: []string{"4711"}}), b.Decide(to)
		if len(reads) < 10 && !strings.Contains(fmt.Sprint(reads), "odd") && fmt.Sprint(before.PairTexts()) != fmt.Sprint(after.PairTexts()) {
			t.Errorf("it was %v and is %v", before, after)
		}
		if before.Mode != after.Mode {
			t.Errorf("%d origins: it flows %t, and after that %t", len(reads), before.Mode != None, after.Mode != None)
		}
		return exported
	}
	if got := decided(); got != "" {
		t.Errorf("of nothing %q is exported", got)
	}
	if got := decided(crm, mail, "null", ""); got != "unknown "+crm+" "+mail+" null" {
		t.Errorf("%q is exported", got)
	}
	decided(evil)
	decided("https://odd example", "https://evil.test")
	var many []string
	for i := range 2 * maxOrigins {
		many = append(many, fmt.Sprintf("https://www%d.evil.test", i)) // one site, but for what isn't told
	}
	if got := decided(many...); !strings.HasSuffix(got, " "+moreWord) {
		t.Errorf("%q is exported", got)
	}
}
