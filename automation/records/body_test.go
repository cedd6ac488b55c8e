package records

import "testing"

// TestPiecesOfABodyLeadOn: pieces shorter than a character lead through the whole body, too.
func TestPiecesOfABodyLeadOn(t *testing.T) {
	const body = "éa€𝄞"
	for length := 1; length <= 5; length++ {
		text, offset := "", 0
		for range len(body) {
			p, err := Part([]byte(body), "text/plain", offset, length)
			if err != nil {
				t.Fatal(err)
			}
			text += p.Text
			if offset = p.Next; offset == 0 {
				break
			}
		}
		if text != body || offset != 0 {
			t.Errorf("in pieces of %d: %q, and on at %d", length, text, offset)
		}
	}
}
