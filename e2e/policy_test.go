package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pages of origins that aren't allowed have no tools, and what is called is
// written down.
func TestOriginsAndAudit(t *testing.T) {
	t.Parallel()
	c := nativeChrome(t)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	h := attachHub(t, c, "--deny-origin", "http://127.0.0.1:*", "--audit-log", path)
	c.open(t, pages.otherSite("shop.html"))
	c.open(t, pages.url("shop.html"))
	names := []string{toolName("0", "search"), toolName("1", "search")}
	tools := h.waitTools("the allowed page's tools", func(tools toolList) bool { return len(pageTools(tools)) == 2 })
	allowed, refused := pages.url(""), pages.otherSite("")
	if !strings.HasPrefix(refused, "http://127.0.0.1:") {
		allowed, refused = refused, allowed
	}
	if find(tools, names[0]) != nil && find(tools, names[1]) != nil {
		t.Errorf("both pages' tools are listed: %q", pageTools(tools))
	}
	origin := func(url string) string { return strings.TrimSuffix(url, "/") }
	for list := ""; !strings.Contains(list, origin(refused)+" is denied (--deny-origin)"); {
		list = textOf(h.call("list_webmcp_tools", nil))
	}
	search := names[0]
	if find(tools, search) == nil {
		search = names[1]
	}
	wantText(t, h.call(search, map[string]any{"q": "hush-hush"}), "found hush-hush")
	h.finish()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"event":"start"`,
		`"event":"added","origin":"` + origin(allowed) + `"`,
		`"event":"refused","origin":"` + origin(refused) + `"`,
		`"tool":"search","name":"` + search + `","args":"sha256:`,
		`"outcome":"ok"`,
		`"event":"stop"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the audit log has no %s:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "hush-hush") {
		t.Error("the audit log has the arguments")
	}
}

func TestAnAuditLogThatCanNotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	chromePath(t)
	_, said, code := runHub(t, "--isolated", "--headless", "--audit-log", t.TempDir())
	if code != 1 || !strings.Contains(said, "the audit log can't be written") {
		t.Errorf("exit code %d, said %s", code, said)
	}
}
