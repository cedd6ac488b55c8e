package process

import (
	"runtime"
	"testing"
)

func TestQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its shells quote otherwise")
	}
	for word, want := range map[string]string{
		"/usr/bin/webmcp-hub":             "/usr/bin/webmcp-hub",
		"/home/me/My Tools/webmcp-hub":    "'/home/me/My Tools/webmcp-hub'",
		"/home/o'brien/$HOME/webmcp-hub*": `'/home/o'"'"'brien/$HOME/webmcp-hub*'`,
	} {
		if got := quoted(word); got != want {
			t.Errorf("%s becomes %s, want %s", word, got, want)
		}
	}
}
