package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"webmcphub/cdpclient"
)

func TestGuarded(t *testing.T) {
	rules := json.RawMessage(`{"allow":[],"deny":[{"host":"ads.example"}]}`)
	install := func() []Command { return append(Install(), LegacyNameInstall()...) }
	plain, guarded := install(), Guarded(install(), rules)
	scripts := 0
	for i, c := range guarded {
		if c.Script == "" {
			if string(c.Params) != string(plain[i].Params) {
				t.Errorf("%s is another: %s", c.Method, c.Params)
			}
			continue
		}
		scripts++
		var was, is cdpclient.AddScriptParams
		if json.Unmarshal(plain[i].Params, &was) != nil || json.Unmarshal(c.Params, &is) != nil {
			t.Fatalf("%s", c.Params)
		}
		check, script, found := strings.Cut(is.Source, "if (!webmcpHub.documentPermitted("+string(rules)+")) return;\n")
		if !found || strings.Contains(check, "addEventListener") || script != was.Source+"\n})();\n" || is.WorldName != was.WorldName || is.RunImmediately != was.RunImmediately {
			t.Errorf("%s is not guarded: %.300s", c.Script, is.Source)
		}
	}
	if scripts != 3 || len(guarded) != len(plain) {
		t.Errorf("%d scripts, %d commands", scripts, len(guarded))
	}
	if same := Guarded(plain, nil); &same[0] != &plain[0] {
		t.Error("without rules the scripts are others")
	}
}
