package mask_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"webmcphub/internal/mask"
	"webmcphub/internal/mask/masktest"
)

// TestNoSecretStays: whatever a secret of a known shape stands in, it is masked, and masking again changes nothing.
func TestNoSecretStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m mask.Masker
		secret := masktest.Secret(t)
		text := masktest.Around(t, secret)
		masked := m.Text(text)
		if strings.Contains(masked, secret) || !strings.Contains(masked, mask.Masked) {
			t.Fatalf("%q is %q", text, masked)
		}
		if again := m.Text(masked); again != masked {
			t.Fatalf("%q, masked again, is %q", masked, again)
		}
	})
}
