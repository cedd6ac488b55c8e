package calls

import (
	"testing"

	"webmcphub/registry"
)

// TestEnded: the audit tells what a browser tool was refused from what it tried in vain.
func TestEnded(t *testing.T) {
	for want, result := range map[string]registry.Result{
		"ok": {}, "error": {IsError: true}, "refused": {IsError: true, Ending: "refused"},
	} {
		r := &Record{}
		if r.answered(result); r.Outcome != want {
			t.Errorf("%+v is %q, want %q", result, r.Outcome, want)
		}
	}
	(*Record)(nil).answered(registry.Result{})
}
