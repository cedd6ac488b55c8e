package policy

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"webmcphub/internal/agent"
	"webmcphub/trust/rules"
)

func parse(t *testing.T, args ...string) Flags {
	t.Helper()
	var f struct{ Flags }
	parser, err := kong.New(&f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f.Flags
}

// The rules of the command line keep its order, and come before those of the file and
// the preset.
func TestTheOrderOfRules(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("rules:\n  - allow: https://b.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := parse(t, "--ask=tool=a", "--policy", path, "--allow=https://shop.example", "--deny", "tool=c,d", "--policy-preset=careful", "--ask", "tool=b")
	set, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range set.Rules() {
		got = append(got, r.Outcome.String()+" "+r.Text)
	}
	want := "ask tool=a|allow https://shop.example|deny tool=c,d|ask tool=b|allow https://b.example|allow class=read-only|allow kind=automation tool=select_page|ask *"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
	other := parse(t, "--allow=https://shop.example", "--ask=tool=a", "--policy", path, "--deny", "tool=c,d", "--policy-preset=careful", "--ask", "tool=b")
	if a, b := f.Settings(), other.Settings(); a[2] == b[2] {
		t.Errorf("another order is the same setting: %v", a)
	}
}

func TestWrongFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--deny=shop.example": `--deny "shop.example"`,
		"--ask=":              "empty",
		"--allow=kind=x":      "is no kind",
	} {
		if err := parse(t, flag).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", flag, err)
		}
	}
	if _, _, err := parse(t, "--policy="+filepath.Join(t.TempDir(), "none")).Open(slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a file that isn't there is no error")
	}
	if p, stop, err := parse(t).Open(nil); p != nil || err != nil {
		t.Errorf("without flags there is a policy: %v, %v", p, err)
	} else {
		stop()
	}
}

func TestExplain(t *testing.T) {
	set, err := parse(t, "--deny=origin=https://*.bank.example tool=transfer*", "--policy-preset=careful").Read()
	if err != nil {
		t.Fatal(err)
	}
	for about, want := range map[About]string{
		{Tool: "transfer_all", Origin: "https://my.bank.example", Class: "read-only"}:             "deny: transfer_all (page, read-only, of https://my.bank.example): the rule deny origin=https://*.bank.example tool=transfer* (--deny) denies it\n",
		{Tool: "new_page", Kind: "automation", Class: "destructive", To: "https://a.example/x?y"}: "ask: new_page (automation, destructive, of https://a.example): the rule ask * (preset careful) asks first\n",
		{Tool: "list_pages", Kind: "automation", Class: "read-only"}:                              "allow: list_pages (automation, read-only, of no site): the rule allow class=read-only (preset careful) allows it\n",
	} {
		var b bytes.Buffer
		if err := Explain(&b, set, about.Subject()); err != nil || b.String() != want {
			t.Errorf("%+v: %s (%v)", about, b.String(), err)
		}
	}
	empty, _ := rules.NewSet(nil)
	var b bytes.Buffer
	if _ = Explain(&b, empty, About{Tool: "x", Origin: "https://a.example", Class: "unknown"}.Subject()); !strings.HasPrefix(b.String(), "allow: ") || !strings.Contains(b.String(), "no rule matches") {
		t.Error(b.String())
	}
}

func TestToolsAreLookedUp(t *testing.T) {
	var o agent.Overview
	if err := json.Unmarshal([]byte(`{"pages":[{"url":"https://shop.example/cart","tools":[{"name":"webmcp_shop_example_page0_buy","tool":"buy","annotations":{"destructiveHint":true}},
		{"name":"webmcp_shop_example_page0_pay","tool":"pay","origin":"https://pay.example","annotations":{"readOnlyHint":true}},
		{"name":"webmcp_shop_example_page0_press_ok","tool":"press_ok","introspected":true},{"name":"webmcp_shop_example_page0_ad","tool":"ad","origin":"an opaque origin"}]}],
		"sites":[{"site":"https://www.shop.example","name":"website_tool_find","tool":"find","annotations":{"readOnlyHint":true}}]}`), &o); err != nil {
		t.Fatal(err)
	}
	offered := func() (agent.Overview, error) { return o, nil }
	f := parse(t, "--deny=https://pay.example", "--ask=class=destructive", "--ask=kind=introspected")
	for tool, want := range map[string]string{
		"buy":                           "ask: webmcp_shop_example_page0_buy (page, destructive, of https://shop.example)",
		"webmcp_shop_example_page0_buy": "ask: webmcp_shop_example_page0_buy (page, destructive, of https://shop.example)",
		"press_ok":                      "ask: webmcp_shop_example_page0_press_ok (introspected, unknown, of https://shop.example)",
		"ad":                            "deny: webmcp_shop_example_page0_ad (page, unknown, of null): the rule deny https://pay.example",
		"website_tool_find":             "allow: website_tool_find (page, read-only, of https://www.shop.example)",
		"pay":                           "deny: webmcp_shop_example_page0_pay (page, read-only, of https://pay.example)",
	} {
		var b bytes.Buffer
		if err := (About{Tool: tool}).Tell(&b, f, offered); err != nil || !strings.HasPrefix(b.String(), want) {
			t.Errorf("%s: %s (%v)", tool, b.String(), err)
		}
	}
	if err := (About{Tool: "none"}).Tell(&bytes.Buffer{}, f, offered); err == nil || !strings.Contains(err.Error(), "no open page has a tool called none") {
		t.Error(err)
	}
}
