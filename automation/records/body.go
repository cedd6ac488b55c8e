package records

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"
)

// maxBodyPart bounds a part of a body, in bytes.
const maxBodyPart = 8 << 10

// BodyPart is a part of a body, or the reason why there is none.
type BodyPart struct {
	Text    string
	Offset  int // where Text begins in the body, in bytes
	Next    int // the offset of the next part; 0 if this is the last
	Total   int // the length of the body in bytes
	Binary  bool
	SavedTo string
	Missing string // why there is no part
}

// Part returns a part of a body, from offset on. It has whole characters. Binary data is not returned.
func Part(body []byte, mimeType string, offset int) (BodyPart, error) {
	p := BodyPart{Offset: offset, Total: len(body)}
	switch {
	case offset < 0 || offset > len(body):
		return BodyPart{}, fmt.Errorf("offset %d lies outside of the body, which has %d bytes", offset, len(body))
	case !isText(body, mimeType):
		p.Binary = true
		return p, nil
	}
	offset = runeStart(body, offset)
	end := runeStart(body, min(len(body), offset+maxBodyPart))
	p.Offset, p.Text = offset, strings.ToValidUTF8(string(body[offset:end]), "\uFFFD")
	if end < len(body) {
		p.Next = end
	}
	return p, nil
}

// runeStart returns where the character at i begins, or i if there is none.
func runeStart(body []byte, i int) int {
	for start := i; start > i-utf8.UTFMax && start >= 0 && i < len(body); start-- {
		if utf8.RuneStart(body[start]) {
			return start
		}
	}
	return i
}

// isText says whether a body can be read as text, judging by its type and by whether its beginning is UTF-8 without
// NUL.
func isText(body []byte, mimeType string) bool {
	t, _, _ := mime.ParseMediaType(mimeType)
	switch kind, _, _ := strings.Cut(t, "/"); {
	case kind == "image" && t != "image/svg+xml", kind == "audio", kind == "video", kind == "font":
		return false
	}
	head := body[:min(len(body), 4096)]
	for i := 0; i < 3 && len(head) > 0 && len(head) < len(body) && !utf8.Valid(head); i++ { // a character may be cut off
		head = head[:len(head)-1]
	}
	return utf8.Valid(head) && !strings.Contains(string(head), "\x00")
}
