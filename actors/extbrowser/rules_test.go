package extbrowser_test

import (
	"testing"

	. "webmcphub/actors"
	. "webmcphub/actors/hubtest"
	"webmcphub/extlink/exttest"
	"webmcphub/registry/names"
)

// The extension is told the rules that the registry has, so that its scripts keep
// to them.
func TestExtRules(t *testing.T) {
	for _, c := range []struct {
		allow, deny []string
		want        string
	}{
		{nil, nil, ""},
		{[]string{"https://*.shop.test", "*"}, nil, `{"allow":[{"scheme":"https","host":".shop.test","port":"default"},{"any":true}],"deny":[]}`},
		{nil, []string{"http://bank.test:*"}, `{"allow":[],"deny":[{"scheme":"http","host":"bank.test"}]}`},
	} {
		Bubble(t, func(t *testing.T) {
			origins, err := names.ParseOrigins(c.allow, c.deny)
			if err != nil {
				t.Fatal(err)
			}
			h := NewExtHub(t, func(o *Options) { o.Registry.Origins = origins })
			b := h.Join(exttest.New("one"))
			if said := b.Received("connect"); len(said) != 1 || string(said[0].Origins) != c.want {
				t.Errorf("the hub said %+v, want %s", said, c.want)
			}
		})
	}
}
