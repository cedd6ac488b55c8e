package rules

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"webmcphub/internal/fakeclock"
	"webmcphub/internal/settings"
)

func TestFiles(t *testing.T) {
	all, err := ParseFile([]byte(`# what agents may do
rules:
  - deny: origin=https://*.bank.example tool=transfer*
  - ask:
      class: [destructive, unknown]
      kind: page
      tool: "with blank"
  - allow: https://shop.example
  - deny: "*"
`), "policy.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range all {
		got = append(got, r.String())
	}
	want := []string{
		"deny origin=https://*.bank.example tool=transfer* (policy.yaml, line 3)",
		`ask class="destructive","unknown" kind="page" tool="with blank" (policy.yaml, line 4)`,
		"allow https://shop.example (policy.yaml, line 8)",
		"deny * (policy.yaml, line 9)",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if all, err := ParseFile([]byte("rules: []\n"), "x"); err != nil || len(all) != 0 {
		t.Errorf("no rules: %v, %v", all, err)
	}
}

func TestWrongFilesSayTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "line 1: the file is empty",
		"# nothing\n":                           "the file is empty",
		"{}":                                    `line 1: there must be "rules:"`,
		"- deny: x":                             `line 1: there must be "rules:"`,
		"rule: []":                              `line 1: there must be "rules:"`,
		"rules: x":                              "line 1: rules must be a list",
		"rules: []\nrules: []":                  "and nothing else",
		"rules:\n  - deny":                      "line 2: a rule is allow, ask or deny",
		"rules:\n  - deny: '*'\n    ask: x":     "line 3: a rule is allow, ask or deny",
		"rules:\n  - deny: '*'\n  - stop: x":    `line 3: "stop" is not an action`,
		"rules:\n  - deny: {colour: red}":       `line 2: "colour" is not a condition`,
		"rules:\n  - deny:\n      tool: {a: b}": "line 3: tool takes plain texts",
		"rules:\n  - deny:\n      - x":          "line 3: a rule's conditions",
		"rules:\n\n  - deny: class=harmless":    `line 3: "harmless" is no class`,
		"rules:\n  - deny:":                     "line 2: the rule is empty",
		"rules:\n  - deny: {}":                  "line 2: the rule is empty",
		"rules:\n  - deny: [":                   "line ",
		"rules: []\n---\nrules: []":             "more than one document",
		"rules:\n  - &a {deny: '*'}\n  - *a":    "line 3: a rule is",
	} {
		if _, err := ParseFile([]byte(text), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("rules:\n  - deny: tool=x\n"))
	f.Add([]byte("rules:\n  - ask: {class: [unknown]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if all, err := ParseFile(text, "x"); err == nil {
			if _, err := NewSet(all); err != nil {
				t.Errorf("%q makes no set: %v", text, err)
			}
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatOthersMayWriteAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	write(t, path, "rules: []")
	if _, err := ReadFile(path); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o622); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "can be written by others") {
		t.Errorf("a file that others may write: %v", err)
	}
	for _, bad := range []string{filepath.Dir(path), path + ".gone"} {
		if _, err := ReadFile(bad); err == nil {
			t.Errorf("%s can be read", bad)
		}
	}
	write(t, path+".large", "rules: []\n#"+strings.Repeat("x", MaxFileSize))
	if _, err := ReadFile(path + ".large"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a large file: %v", err)
	}
}

// Each change is told once, also one that makes the file wrong or takes it away, and one
// that puts another file in its place.
func TestChangesAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	synctest.Test(t, func(t *testing.T) {
		write(t, path, "rules: []")
		told := make(chan string, 10)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		was := settings.StampOf(path)
		go func() {
			defer close(done)
			WatchFile(ctx, path, was, func(all []*Rule, err error) { told <- fmt.Sprint(len(all), err != nil) })
		}()
		later := time.Now()
		step := func(change func(), want string) {
			t.Helper()
			if change != nil {
				change()
				later = later.Add(time.Minute)
				_ = os.Chtimes(path, later, later)
			}
			fakeclock.Elapse(3 * settings.WatchEvery)
			synctest.Wait() // for a look at the file that began in this instant
			var got []string
			for len(told) > 0 {
				got = append(got, <-told)
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("told %q, want %q", got, want)
			}
		}
		step(nil, "")
		step(func() { write(t, path, "rules:\n  - deny: '*'\n") }, "1 false")
		step(func() { write(t, path, "rules:\n  - deny: shop\n") }, "0 true")
		step(func() { _ = os.Remove(path) }, "0 true")
		step(func() { write(t, path+"~", "rules: []"); _ = os.Rename(path+"~", path) }, "0 false")
		cancel()
		<-done
	})
}
