package automation

import (
	"fmt"
	"strings"
	"testing"

	"webmcphub/automation/automationtest"
)

// TestUIDsOfWhatTheKeyboardReaches: an element that is shown as a group because the keyboard
// reaches it is found again by its uid, whatever Chrome calls it.
func TestUIDsOfWhatTheKeyboardReaches(t *testing.T) {
	tags := []string{"div", "pre", "ul", "blockquote", "p", "figure", "section", "dl", "code"}
	var html strings.Builder
	for i, tag := range tags {
		item := fmt.Sprintf("%d words %s", i, strings.Repeat("of the text ", 30))
		if tag == "ul" {
			item = "<li>" + item + "<li>two"
		}
		fmt.Fprintf(&html, "<%s tabindex=0>%s</%[1]s>", tag, item)
	}
	r := openReal(t, automationtest.HTML(`<!doctype html><title>One</title>`+html.String()))
	var groups []string
	for line := range strings.Lines(r.call("take_snapshot", `{}`).Text) {
		if f := strings.Fields(line); len(f) > 1 && f[1] == "group" {
			groups = append(groups, f[0])
		}
	}
	if len(groups) != len(tags) {
		t.Fatalf("%d of %d elements have uids", len(groups), len(tags))
	}
	for i, uid := range groups {
		if got := r.call("take_snapshot", `{"root":"`+uid+`"}`); got.IsError || !strings.Contains(got.Text, fmt.Sprint(i, " words")) {
			t.Errorf("the root %s: %.300s", tags[i], got.Text)
		}
		if got := r.call("hover", `{"uid":"`+uid+`"}`); got.IsError {
			t.Errorf("%s: %s", tags[i], got.Text)
		}
	}
}
