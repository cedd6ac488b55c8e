package agent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestPrintedJSONIsReadAsItStands: what call prints of a result that is no text
// has no escapes for HTML in it.
func TestPrintedJSONIsReadAsItStands(t *testing.T) {
	var out bytes.Buffer
	link := mcp.NewResourceLink("https://shop.example/?a=1&b=<2>", "a & b", "", "")
	Print(&out, &mcp.CallToolResult{Content: []mcp.Content{link}})
	if printed := out.Bytes(); !bytes.Contains(printed, []byte("?a=1&b=<2>")) || !bytes.Contains(printed, []byte("a & b")) || !json.Valid(printed) {
		t.Errorf("printed %s", printed)
	}
}
