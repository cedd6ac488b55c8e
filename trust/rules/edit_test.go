package rules

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestRemoveFromFile: exactly one rule's lines go, comments and all else stay, and where that isn't possible, the error
// says which line to delete.
func TestRemoveFromFile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		remove     int // the rule's line
		want       string
	}{
		{"the first", "# mine\nrules:\n  # shop\n  - allow: https://a.example # why\n\n  # bank\n  - deny: https://b.example\n", 4,
			"# mine\nrules:\n  # shop\n\n  # bank\n  - deny: https://b.example\n"},
		{"the last", "rules:\n- allow: https://a.example\n- deny: https://b.example\n# the end", 3, "rules:\n- allow: https://a.example\n# the end"},
		{"without a last line's end", "rules:\n- allow: https://a.example\n- deny: https://b.example", 3, "rules:\n- allow: https://a.example\n"},
		{"the only one", "rules: # mine\n- allow: https://a.example\n", 2, "rules: [] # mine\n"},
		{"of several lines", "rules:\n- ask:\n    origin: https://a.example\n    # or\n    tool: [a, b]\n- allow: \"*\"\n", 2, "rules:\n- allow: \"*\"\n"},
		{"of equal ones", "rules:\n- allow: https://a.example\n- allow: https://a.example\n", 3, "rules:\n- allow: https://a.example\n"},
		{"with the ends of lines of Windows", "rules:\r\n- allow: https://a.example\r\n- ask: \"*\"\r\n", 2, "rules:\r\n- ask: \"*\"\r\n"},
		{"in one line with others", "rules: [{allow: https://a.example}, {deny: https://b.example}]\n", 1, ""},
		{"after its hyphen", "rules:\n-\n  allow: https://a.example\n- ask: \"*\"\n", 3, ""},
		{"a folded text", "rules:\n- allow: >\n    https://a.example\n    tool=b\n- ask: \"*\"\n", 2, "rules:\n- ask: \"*\"\n"},
		{"with the ends of lines of old Macs", "rules:\r- allow: https://a.example\r- ask: \"*\"\r", 2, ""},
		{"with other ends of lines", "rules:\n# a\u0085# b\u2028# c\n- allow: https://a.example\n- ask: \"*\"\n", 5, ""},
		{"after other ends of lines", "rules: # a\u2028\n- ask: \"*\"\n- allow: https://a.example", 4, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			path, link := filepath.Join(folder, "policy.yaml"), filepath.Join(folder, "link.yaml")
			if err := os.WriteFile(path, []byte(c.text), 0o640); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(path, link); err != nil {
				t.Fatal(err)
			}
			all, err := ReadFile(link)
			if err != nil {
				t.Fatal(err)
			}
			var rule *Rule
			for _, r := range all {
				if r.Line == c.remove && rule == nil {
					rule = r
				}
			}
			err = RemoveFromFile(link, rule)
			got, _ := os.ReadFile(path)
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line "+rule.Source[len(rule.Source)-1:]) || string(got) != c.text {
					t.Errorf("%v, %q", err, got)
				}
				return
			}
			if info, _ := os.Lstat(link); err != nil || string(got) != c.want || info.Mode().Type() != os.ModeSymlink {
				t.Errorf("%v, %q", err, got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Error(info.Mode(), err)
			}
			if err := RemoveFromFile(link, &Rule{Outcome: rule.Outcome, Text: "https://gone.example", Line: rule.Line}); err == nil || !strings.Contains(err.Error(), "changed") {
				t.Errorf("a rule that isn't there: %v", err)
			}
		})
	}
}

// TestRemoveFromFileAtOnce: of rules that are removed at once, those are gone for which there is no error.
func TestRemoveFromFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	for range 20 {
		if err := os.WriteFile(path, []byte("rules:\n- allow: https://a.example\n- allow: https://b.example\n- deny: \"*\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var errs [2]error
		var ended sync.WaitGroup
		for i := range errs {
			ended.Go(func() { errs[i] = RemoveFromFile(path, all[i]) })
		}
		ended.Wait()
		left, err := ReadFile(path)
		for i, failed := range errs {
			stays := slices.ContainsFunc(left, func(r *Rule) bool { return r.Text == all[i].Text })
			if stays != (failed != nil) || err != nil {
				t.Errorf("%s stays: %v, %v", all[i].Text, stays, errors.Join(failed, err))
			}
		}
	}
}
