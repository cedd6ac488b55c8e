package offer

import (
	"bytes"
	"encoding/json"
	"testing"
	"webmcphub/registry/sanitize"
)

// encodedTool is MCP's Tool object.
type encodedTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *mcpAnnotations `json:"annotations,omitempty"`
	Meta         json.RawMessage `json:"_meta"`
}

// FuzzEncodeTool: a tool is encoded byte for byte as encoding/json does it.
func FuzzEncodeTool(f *testing.F) {
	for _, text := range []string{"", "plain", "•–é", "\u2028", "a\u2029", "\"", "\\", "\n", "<&>", "\x7f", "\xff", "\U0001F6D2"} {
		f.Add("webmcp_a", text, text, `{"type":"object"}`, text, true)
		f.Add(text, "", text, `{"type":"object","properties":{}}`, "", false)
	}
	f.Fuzz(func(t *testing.T, name, title, description, input, output string, hints bool) {
		tool := encodedTool{Name: name, Title: title, Description: description, Meta: json.RawMessage(`{"k":1}`)}
		if tool.InputSchema = compacted(input); tool.InputSchema == nil {
			tool.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tool.OutputSchema = compacted(output)
		var annotations json.RawMessage
		if hints {
			tool.Annotations = &mcpAnnotations{ReadOnly: &hints}
			annotations = sanitize.Encode(tool.Annotations)
		}
		got := encodeTool(name, title, description, tool.InputSchema, tool.OutputSchema, annotations, tool.Meta)
		if want := sanitize.Encode(tool); !bytes.Equal(got, want) {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
		if cap(got) > 2*len(got)+64 {
			t.Errorf("%d bytes have room for %d", len(got), cap(got))
		}
	})
}

// compacted is the text as a schema would come out of sanitizing, or nil.
func compacted(text string) json.RawMessage {
	if !json.Valid([]byte(text)) {
		return nil
	}
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text))
	return b.Bytes()
}
