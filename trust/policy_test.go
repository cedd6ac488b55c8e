package trust

import (
	"context"
	"strings"
	"testing"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/trust/rules"
)

func policyOf(t testing.TB, lines ...[2]string) *Policy {
	t.Helper()
	var all []*rules.Rule
	for _, l := range lines {
		outcome, err := rules.ParseOutcome(l[0])
		if err != nil {
			t.Fatal(err)
		}
		r, err := rules.Parse(outcome, l[1], "test")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	set, err := rules.NewSet(all)
	if err != nil {
		t.Fatal(err)
	}
	return NewPolicy(set)
}

// Rules see where an action is done, where it leads to, and whose a document without an
// origin may be.
func TestWhatRulesSeeOfAnAction(t *testing.T) {
	p := policyOf(t, [2]string{"deny", "https://bank.example"}, [2]string{"allow", "https://shop.example"}, [2]string{"ask", "*"})
	in := func(origin, address, to string, tab registry.TabID) calls.Action {
		return calls.Action{Where: calls.Where{Origin: origin, Address: address, To: to, Tab: tab}, What: calls.What{Kind: calls.BrowserTool, Name: "x", HubName: "x"}}
	}
	within := func(origin string, around ...string) calls.Action {
		d := in(origin, "https://elsewhere.example/", "", 1)
		d.Around = around
		return d
	}
	inPage := func(origin, address string, around ...string) calls.Action {
		d := in(origin, address, "", 1)
		d.Kind, d.Around = calls.PageTool, around
		return d
	}
	for _, c := range []struct {
		name string
		d    calls.Action
		want Verdict
	}{
		{"on the shop", in("https://shop.example", "https://shop.example/", "", 1), Allow},
		{"on the bank", in("https://bank.example", "https://bank.example/", "", 1), Refuse},
		{"from the shop to the bank", in("https://shop.example", "https://shop.example/", "https://bank.example/pay?x", 1), Refuse},
		{"from the shop elsewhere", in("https://shop.example", "https://shop.example/", "https://elsewhere.example/", 1), Ask},
		{"a new tab at the bank", in("", "", "https://bank.example/", 0), Refuse},
		{"a new tab at the shop", in("", "", "https://shop.example/", 0), Allow},
		{"a data: frame known to be in the shop's page", within("null", "null", "https://shop.example"), Ask},
		{"a data: frame known to be in the bank's", within("null", "null", "https://bank.example"), Refuse},
		{"a sandboxed frame of the bank in the shop's page", within("null", "https://bank.example", "https://shop.example"), Refuse},
		{"a sandboxed tool of the shop in the bank's page", inPage("null", "https://shop.example/framed", "https://bank.example"), Refuse},
		{"a sandboxed tool of the bank in the shop's page", inPage("null", "https://bank.example/framed", "https://shop.example"), Refuse},
		{"a sandboxed page of the bank", in("null", "https://bank.example/framed", "", 1), Refuse},
		{"a sandboxed page of the shop", in("null", "https://shop.example/framed", "", 1), Ask},
		{"no tab at all", in("", "", "", 0), Ask},
	} {
		if got, why := p.Decide(c.d); got != c.want {
			t.Errorf("%s: %v (%s), want %v", c.name, got, why, c.want)
		}
	}
}

// An address that a browser reads in another way than rules do is refused, whatever rules
// there are.
func TestAddressesThatRulesCantTell(t *testing.T) {
	g := New(Options{Rules: policyOf(t, [2]string{"deny", "https://evil.test"})})
	for to, want := range map[string]string{"https://evil.test/": "denies it", "https://ｅvil.test/": "by the way it is written", "https://evil.test:0443/": "by the way it is written", "https://shop.example/": ""} {
		d := calls.Action{Where: calls.Where{To: to}, What: calls.What{Kind: calls.BrowserTool, Name: "new_page", HubName: "new_page"}}
		if no := g.Judge(context.Background(), d); (no == nil) != (want == "") || no != nil && !strings.Contains(no.Text, want) {
			t.Errorf("%s: %+v", to, no)
		}
	}
}

// A frame that nobody knows the owner of may be any site's.
func TestAnyonesFrames(t *testing.T) {
	for rules, want := range map[string]Verdict{"deny https://evil.test": Refuse, "ask https://evil.test": Ask, "allow https://evil.test": Ask, "allow *": Allow, "deny https://evil.test tool=other": Ask} {
		outcome, conditions, _ := strings.Cut(rules, " ")
		p := policyOf(t, [2]string{outcome, conditions}, [2]string{"ask", "*"})
		d := calls.Action{Where: calls.Where{Origin: "null", Address: "about:srcdoc", Anyones: true}, What: calls.What{Kind: calls.PageTool, Name: "x", HubName: "y"}}
		if v, why := p.Decide(d); v != want {
			t.Errorf("%s: %v, %s", rules, v, why)
		}
	}
}
