package live

import (
	"bytes"
	"encoding/json"
	"strings"

	"webmcphub/internal/jsonrpc"
	"webmcphub/internal/mask"
	"webmcphub/registry"
)

// Masked returns JSON as the page shows it, without the secrets that package mask finds. If it comes to a part that it
// can't read, such as the end of a text that was cut, it leaves out the rest. whole reports whether it left out
// nothing.
func Masked(text []byte) (shown string, whole bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return "", true
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	m := masker{d: d}
	whole = m.value("", 0) == nil
	if !whole {
		m.b.WriteString("…")
	}
	return m.b.String(), whole
}

// Hides reports whether a masked text hides anything.
func Hides(shown string) bool { return strings.Contains(shown, mask.Masked) }

// withhold returns a call's arguments as the page keeps them. It masks values for the page's secret or unknown fields,
// and values that the tool's schema marks as secret. tool is the page's tool, or nil if it isn't known.
func (b *store) withhold(name string, args json.RawMessage, tool *registry.HubTool) Text {
	if mask.Types(name) {
		args = b.fields.Arguments(name, args, func(json.RawMessage) json.RawMessage { return maskedJSON })
	} else {
		b.fields.Use(args)
	}
	if tool == nil && b.state.catalog != nil {
		if name == "call_webmcp_tool" {
			name, _ = jsonrpc.Text(jsonrpc.Member(args, "name"))
		}
		tool = b.state.catalog.Lookup(name)
	}
	if tool != nil {
		var secret mask.Schema
		secret.Learn(tool.InputSchema)
		args = secret.Arguments(args)
	}
	return Cut(args)
}

// address returns a text, which may be an address, without secrets.
func address(text string) string {
	var m mask.Masker
	return m.Address(text)
}

var maskedJSON = json.RawMessage(`"` + mask.Masked + `"`)

type masker struct {
	d *json.Decoder
	b strings.Builder
}

// value writes the next value, which belongs to a member with this name.
func (m *masker) value(name string, depth int) error {
	token, err := m.d.Token()
	if err != nil {
		return err
	}
	if open, is := token.(json.Delim); is {
		return m.list(open, depth+1)
	}
	m.scalar(name, token)
	return nil
}

// scalar writes a value that is neither array nor object, and that belongs to a member with this name.
func (m *masker) scalar(name string, token json.Token) {
	var secrets mask.Masker
	switch v := token.(type) {
	case string:
		v, _ = secrets.Member(name, v)
		m.text(v)
		return
	case json.Number:
		if now, _ := secrets.Member(name, v.String()); now != v.String() {
			m.text(now)
			return
		}
	}
	m.text(token)
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
		key := ""
		if open == '{' {
			name, err := m.d.Token()
			if err != nil {
				return err
			}
			key, _ = name.(string)
			m.text(key)
			m.b.WriteString(": ")
			if mask.Name(key) {
				m.text(mask.Masked)
				if err := m.skip(); err != nil {
					return err
				}
				continue
			}
		}
		if err := m.value(key, depth); err != nil {
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
	m.b.Write(jsonrpc.MustEncode(v))
}
