package automation

import "webmcphub/registry/sanitize"

// Image is a picture in a result.
type Image struct {
	Data     []byte
	MIMEType string
}

// Result is the answer to a call.
type Result struct {
	Text       string
	Structured any // MCP's structuredContent; nil if there is none
	Images     []Image
	IsError    bool
	Refused    bool // IsError is set because the rules or another client keep the page from the caller
}

// Encode encodes the result for MCP.
func (r *Result) Encode() sanitize.Result {
	type content struct {
		Type     string `json:"type"`
		Text     string `json:"text,omitempty"`
		Data     []byte `json:"data,omitempty"`
		MIMEType string `json:"mimeType,omitempty"`
	}
	blocks := []content{{Type: "text", Text: r.Text}}
	for _, i := range r.Images {
		blocks = append(blocks, content{Type: "image", Data: i.Data, MIMEType: i.MIMEType})
	}
	ending := ""
	if r.Refused {
		ending = "refused"
	}
	return sanitize.Result{IsError: r.IsError, Ending: ending, JSON: sanitize.Encode(struct {
		Content    []content `json:"content"`
		Structured any       `json:"structuredContent,omitempty"`
		IsError    bool      `json:"isError,omitempty"`
	}{blocks, r.Structured, r.IsError})}
}
