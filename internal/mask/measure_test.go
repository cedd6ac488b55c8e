package mask

import (
	_ "embed"
	"math/rand/v2"
	"strings"
	"testing"
)

//go:embed testdata/benign.txt
var benign string

// TestBenign measures both sides: ordinary texts are left alone, and random keys without any known shape are found.
func TestBenign(t *testing.T) {
	var m Masker
	total, wrong := 0, 0
	for line := range strings.Lines(benign) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		total++
		if got := m.Text(line); got != line {
			wrong++
			t.Errorf("a false alarm: %s is %s", line, got)
		}
	}
	t.Logf("ordinary texts: %d false alarms of %d", wrong, total)
	const base62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		of     string
		n      int
		atMost float64 // the share that may be missed
	}{{base62, 32, 0.1}, {base62, 40, 0.06}, {base62, 64, 0.02}, {base62 + "+/", 40, 0.15}, {base62 + "-_", 43, 0.12}} {
		missed := 0
		const tries = 5000
		for range tries {
			key := make([]byte, c.n)
			for i := range key {
				key[i] = c.of[r.IntN(len(c.of))]
			}
			if text := "the key " + string(key) + "."; m.Text(text) == text {
				missed++
			}
		}
		share := float64(missed) / tries
		t.Logf("random keys of %d characters out of %d: %.1f %% missed", c.n, len(c.of), 100*share)
		if share > c.atMost {
			t.Errorf("%.1f %% of %d characters out of %d are missed", 100*share, c.n, len(c.of))
		}
	}
}

// BenchmarkText measures texts that are costly to search. The time per byte may not depend on the length.
func BenchmarkText(b *testing.B) {
	for name, part := range map[string]string{
		"page":      `uid=1_42 textbox "Search 4 products" value="tea", text "The password is wrong: 12 left" https://a.test/x?page=2 `,
		"names2":    "token:",
		"prefixes":  "tskey-",
		"heads":     "eyJ-",
		"names":     "password=token:secret?key=",
		"digits":    "4111 1111 1111 1112 ",
		"dashes":    "a-B1-",
		"tokens":    "eyJ-eyJ.",
		"keys":      "-----BEGIN PRIVATE KEY-ghp_",
		"userinfo":  "://a:b",
		"addresses": "a@b",
		"base64":    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
	} {
		for size, label := range map[int]string{64 << 10: "64K", 1 << 20: "1M"} {
			text := strings.Repeat(part, size/len(part))
			b.Run(name+"/"+label, func(b *testing.B) {
				m := Masker{Emails: true}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					m.Text(text)
				}
			})
		}
	}
}
