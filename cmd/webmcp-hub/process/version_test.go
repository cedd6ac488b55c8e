package process

import (
	"runtime/debug"
	"testing"
)

// TestVersion: a build sets the version, go install brings the module's, and a folder's build has none.
func TestVersion(t *testing.T) {
	if got := Version("1.2.3"); got != "1.2.3" {
		t.Errorf("a version that was set is %q", got)
	}
	for module, want := range map[string]string{"v1.2.3": "1.2.3", "(devel)": "dev", "": "dev"} {
		if got := moduleVersion(&debug.BuildInfo{Main: debug.Module{Version: module}}); got != want {
			t.Errorf("of module version %q the program has %q, want %q", module, got, want)
		}
	}
}
