package commands

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"webmcphub/cmd/webmcp-hub/policy"
	"webmcphub/internal/private"
	"webmcphub/trust/approvals"
	"webmcphub/trust/pins"
)

// TestRules: all that people have allowed is listed with an id, and each id takes exactly its own back. What
// forbids something is taken back by persons only.
func TestRules(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	flows, err := private.Place("flows")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(flows), 0o700)
	}
	if err == nil {
		err = os.WriteFile(flows, []byte("# mine\nhttps://a.example->https://b.example\nhttps://c.example->https://b.example\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	answers, _ := private.Place("answers")
	store := approvals.OpenStore(answers, slog.New(slog.DiscardHandler))
	for _, tool := range []string{"input", "scripts"} {
		store.Keep(approvals.Lasting{Client: "agent", Origin: shop, Kind: "site", Tool: tool, Definition: "any", Why: "rule", Given: time.Now(), Until: time.Now().Add(time.Hour)})
	}
	store.Keep(approvals.NewPermission("https://allowed.example", approvals.Allow, time.Now()))
	store.Keep(approvals.NewPermission("https://asked.example", approvals.Ask, time.Now()))
	store.Keep(approvals.NewPermission("https://never.example", approvals.Never, time.Now()))
	store.Close()
	pinned := folder(t)
	at, _ := pinned.Folder()
	if _, err := at.Edit(shop, func(was *pins.Site) (*pins.Site, error) {
		is := was.Clone()
		_, err := is.AcceptThese([]pins.Definition{is.Waiting[0].Definition}, pins.ByHand, time.Now())
		return is, err
	}); err != nil {
		t.Fatal(err)
	}
	lists := func() (all []Grant) {
		t.Helper()
		all, err := Grants(policy.Flags{PolicyPreset: "careful"}, pinned)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	texts := func() string {
		var b bytes.Buffer
		if err := ListGrants(&b, lists()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	wants := []string{"answer: input on " + shop + ", for agent, until ", "answer: scripts on " + shop, "flow: https://a.example->https://b.example, for good",
		"flow: https://c.example->https://b.example", "tool: buy of " + shop + ", accepted at ", "permission: no questions of rules on https://allowed.example",
		"permission: a question before each call that changes something on https://asked.example", "permission: nothing is allowed on https://never.example"}
	for _, want := range append(wants, "rule: ask * (preset careful)") {
		if !strings.Contains(texts(), want) {
			t.Errorf("%q is missing in\n%s", want, texts())
		}
	}
	for i, want := range wants {
		for _, g := range lists() {
			if strings.HasPrefix(g.Text, want) {
				var b bytes.Buffer
				asked := 0
				person := func(string) error { asked++; return nil }
				if forbids := strings.Contains(want, "asked.example") || strings.Contains(want, "never.example"); forbids {
					nobody := errors.New("nobody")
					if err := Revoke(&b, lists(), g.ID(), func(string) error { return nobody }); err != nobody || b.Len() > 0 || !strings.Contains(texts(), want) {
						t.Errorf("%s, without a person: %v, %q", want, err, &b)
					}
				} else {
					person = nil
				}
				if err := Revoke(&b, lists(), g.ID(), person); err != nil || b.String() != "Taken back: "+g.Text+"\n" {
					t.Errorf("%s: %v, %q", want, err, &b)
				}
				if person != nil && asked != 1 {
					t.Errorf("%s: a person was asked %d times", want, asked)
				}
			}
		}
		for j, other := range wants {
			if strings.Contains(texts(), other) != (j > i) {
				t.Errorf("after %q was taken back:\n%s", want, texts())
			}
		}
	}
	rules := lists()
	if err := Revoke(&bytes.Buffer{}, rules, rules[len(rules)-1].ID(), nil); err == nil || !strings.Contains(err.Error(), "preset careful") {
		t.Errorf("a rule: %v", err)
	}
	if err := Revoke(&bytes.Buffer{}, rules, "none", nil); err == nil {
		t.Error("an unknown id is no error")
	}
}

// TestRulesOfAFile: a rule of --policy is taken back in its file, and only by a person if it forbids something.
func TestRulesOfAFile(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte("rules:\n# shop\n- allow: https://a.example\n- deny: https://b.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	nobody := errors.New("nobody")
	revoke := func(begins string) error {
		t.Helper()
		all, err := Grants(policy.Flags{Policy: file}, folder(t))
		for _, g := range all {
			if strings.HasPrefix(g.Text, begins) {
				return errors.Join(err, Revoke(&bytes.Buffer{}, all, g.ID(), func(string) error { return nobody }))
			}
		}
		t.Fatalf("%q isn't in %v", begins, all)
		return nil
	}
	if err := revoke("rule: deny https://b.example (policy.yaml, line 4)"); !errors.Is(err, nobody) {
		t.Errorf("what forbids something, without a person: %v", err)
	}
	ids := func() (all []string) {
		t.Helper()
		grants, err := Grants(policy.Flags{Policy: file}, folder(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range grants {
			all = append(all, g.ID())
		}
		return all
	}
	before := ids()
	if err := revoke("rule: allow https://a.example (policy.yaml, line 3)"); err != nil {
		t.Error(err)
	}
	if after := ids(); !slices.Equal(after, before[1:]) {
		t.Errorf("the ids of other rules were %v, and are %v", before, after)
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "rules:\n# shop\n- deny: https://b.example\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestRulesThatCantAllBeRead: what can't be read hides nothing else.
func TestRulesThatCantAllBeRead(t *testing.T) {
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, t.TempDir())
	}
	flows, err := private.Place("flows")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(flows), 0o700)
	}
	if err == nil {
		err = os.WriteFile(flows, []byte("https://a.example->https://b.example\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := Grants(policy.Flags{Policy: filepath.Join(t.TempDir(), "none.yaml")}, folder(t))
	if err == nil || len(all) != 1 || !strings.Contains(all[0].Text, "a.example") {
		t.Errorf("%v, %v", all, err)
	}
}
