package live

import (
	"bytes"
	"encoding/json"
	"strings"

	"webmcphub/internal/wording"
)

// hidden replaces a value that is not shown.
const hidden = "(hidden)"

// Masked returns JSON as the page shows it. It hides the values of members whose names indicate secrets. If it comes
// to a place that it can't read, such as the end of a text that was cut, it leaves out the rest. whole reports that
// nothing is left out.
func Masked(text []byte) (shown string, whole bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return "", true
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	m := masker{d: d}
	whole = m.value(0) == nil
	if !whole {
		m.b.WriteString("…")
	}
	return m.b.String(), whole
}

// Hides reports whether a masked text hides anything.
func Hides(shown string) bool { return strings.Contains(shown, `"`+hidden+`"`) }

type masker struct {
	d *json.Decoder
	b strings.Builder
}

// value writes the next value.
func (m *masker) value(depth int) error {
	token, err := m.d.Token()
	if err != nil {
		return err
	}
	if open, is := token.(json.Delim); is {
		return m.list(open, depth+1)
	}
	m.text(token)
	return nil
}

// list writes an array or an object.
func (m *masker) list(open json.Delim, depth int) error {
	m.b.WriteRune(rune(open))
	first := true
	for ; m.d.More(); first = false {
		if !first {
			m.b.WriteByte(',')
		}
		m.line(depth)
		if open == '{' {
			name, err := m.d.Token()
			if err != nil {
				return err
			}
			key, _ := name.(string)
			m.text(key)
			m.b.WriteString(": ")
			if wording.LikelySecret(key) {
				m.text(hidden)
				if err := m.skip(); err != nil {
					return err
				}
				continue
			}
		}
		if err := m.value(depth); err != nil {
			return err
		}
	}
	end, err := m.d.Token()
	if err != nil {
		return err
	}
	if !first {
		m.line(depth - 1)
	}
	m.b.WriteString(end.(json.Delim).String())
	return nil
}

func (m *masker) skip() error {
	var nothing json.RawMessage
	return m.d.Decode(&nothing)
}

// line begins a line. When the text is long, it writes a space instead, because most of such a text would be indents.
func (m *masker) line(depth int) {
	if m.b.Len() > 2*MaxText {
		m.b.WriteByte(' ')
		return
	}
	m.b.WriteByte('\n')
	m.b.WriteString(strings.Repeat("  ", min(depth, 20)))
}

func (m *masker) text(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	m.b.WriteString(strings.TrimSuffix(b.String(), "\n"))
}
