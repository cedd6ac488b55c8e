package snapshot

import (
	"strings"
	"testing"

	"webmcphub/automation/snapshot/tree"
)

// TestMeant: what is said of the elements that arguments name.
func TestMeant(t *testing.T) {
	tab := NewTab(0)
	for i, label := range []Label{{"button", "Pay"}, {"textbox", ""}, {"link", "More\nthan one line"}} {
		uid := tab.table.Assign(tree.Key{Backend: i + 1}, label, false)
		tab.table.show("me", uid, seenAs{label: label})
	}
	tab.table.show("other", "a1", seenAs{label: Label{"button", "Cancel"}})
	var many []string
	for i := range 300 {
		uid := tab.table.Assign(tree.Key{Backend: 100 + i}, Label{"link", "x"}, false)
		many = append(many, `{"uid":"`+uid+`","value":""}`)
	}
	for args, want := range map[string]string{
		`{}`: "", `[`: "", `{"url":"a1"}`: "", `{"uid":1}`: "",
		`{"uid":"a1"}`:                             `a1: button "Pay"`,
		`{"from_uid":"a1","to_uid":"a2"}`:          "a1: button \"Pay\"\na2: textbox without a name",
		`{"args":["a2","a9999"]}`:                  "a2: textbox without a name",
		`{"elements":[{"uid":"a1"},{"uid":"a1"}]}`: `a1: button "Pay"`,
	} {
		if got := tab.Meant("me", []byte(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
	if got := tab.Meant("me", []byte(`{"uid":"a3"}`)); strings.Contains(got, "\n") {
		t.Errorf("a name makes lines of its own: %q", got)
	}
	if got := tab.Meant("me", []byte(`{"elements":[`+strings.Join(many, ",")+`]}`)); strings.Count(got, "\n") != 299 || !strings.HasSuffix(got, `a303: link "x"`) {
		t.Errorf("not all of many: %q", got)
	}
}
