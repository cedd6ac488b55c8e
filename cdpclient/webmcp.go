package cdpclient

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Commands and events of the WebMCP domain. It is experimental in Chrome and has no generated package. WebMCP.enable
// succeeds even if the feature is off.
const (
	WebMCPCancelInvocation = "WebMCP.cancelInvocation"
	WebMCPDisable          = "WebMCP.disable"
	WebMCPEnable           = "WebMCP.enable"
	WebMCPInvokeTool       = "WebMCP.invokeTool"
	WebMCPToolInvoked      = "WebMCP.toolInvoked"
	WebMCPToolResponded    = "WebMCP.toolResponded"
	WebMCPToolsAdded       = "WebMCP.toolsAdded"
	WebMCPToolsRemoved     = "WebMCP.toolsRemoved"
)

// Values of [ToolResponded].Status.
const (
	StatusCompleted = "Completed"
	StatusCanceled  = "Canceled"
	StatusError     = "Error"
)

// Tool is one tool as Chrome reports it; everything in it comes from the page.
type Tool struct {
	Name        string           `json:"name"`
	Description string           `json:"description"`
	InputSchema json.RawMessage  `json:"inputSchema,omitempty"` // an object, or absent
	Annotations *ToolAnnotations `json:"annotations,omitempty"`
	FrameID     string           `json:"frameId"`
	// BackendNodeID is the form of a declarative tool, else 0.
	BackendNodeID int `json:"backendNodeId,omitempty"`
	// Script is the script that registered the tool, according to the stack trace; "" if the trace names none, as for
	// a form.
	Script Script `json:"stackTrace,omitempty"`
}

// Script is the address of the innermost script on a stack trace that has an address. A script may claim another
// address (sourceURL), which Chrome accepts.
type Script string

// maxScript is how much of an address is kept, in bytes: more than enough to identify the script's site.
const maxScript = 2048

// UnmarshalJSON decodes a Runtime.StackTrace.
func (s *Script) UnmarshalJSON(trace []byte) error {
	*s = scriptOf(trace)
	return nil
}

// MarshalJSON encodes a Runtime.StackTrace with one frame.
func (s Script) MarshalJSON() ([]byte, error) {
	type frame struct {
		URL string `json:"url"`
	}
	return json.Marshal(map[string][]frame{"callFrames": {{string(s)}}})
}

// scriptOf returns the first address in a stack trace. The text that begins a member can't occur in a string, because
// quotation marks are escaped there.
func scriptOf(trace []byte) Script {
	const member = `"url":`
	for {
		at := bytes.Index(trace, []byte(member))
		if at < 0 {
			return ""
		}
		trace = trace[at+len(member):]
		end := skipString(trace, 0)
		var url string
		if end < 0 || !scanText(&url, trace[:end]) || url == "" {
			continue
		}
		return Script(strings.ToValidUTF8(url[:min(len(url), maxScript)], ""))
	}
}

// ToolAnnotations are the hints that Chrome passes on. nil means that the page gave none.
type ToolAnnotations struct {
	ReadOnly         *bool `json:"readOnly,omitempty"`
	UntrustedContent *bool `json:"untrustedContent,omitempty"`
	Consequential    *bool `json:"consequential,omitempty"`
	Debugging        *bool `json:"debugging,omitempty"`
	Autosubmit       *bool `json:"autosubmit,omitempty"`
}

// ToolsAdded is the event of that name. Live registrations come one by one; WebMCP.enable and the back/forward cache
// report the root frame's tools at once.
type ToolsAdded struct {
	Tools []Tool `json:"tools"`
}

// RemovedTool identifies a tool that the page has removed.
type RemovedTool struct {
	Name    string `json:"name"`
	FrameID string `json:"frameId"`
}

// ToolsRemoved is the event of that name. It does not come when a document or
// frame goes away.
type ToolsRemoved struct {
	Tools []RemovedTool `json:"tools"`
}

// InvokeToolParams is for WebMCP.invokeTool. Input must be a JSON object.
type InvokeToolParams struct {
	FrameID  string          `json:"frameId"`
	ToolName string          `json:"toolName"`
	Input    json.RawMessage `json:"input"`
}

// InvokeToolResult is the reply to WebMCP.invokeTool; the outcome comes later,
// as [ToolResponded].
type InvokeToolResult struct {
	InvocationID string `json:"invocationId"`
}

// CancelInvocationParams is for WebMCP.cancelInvocation.
type CancelInvocationParams struct {
	InvocationID string `json:"invocationId"`
}

// ToolInvoked is the event of that name, whoever called the tool.
type ToolInvoked struct {
	ToolName     string `json:"toolName"`
	FrameID      string `json:"frameId"`
	InvocationID string `json:"invocationId"`
	Input        string `json:"input"` // JSON text
}

// ToolResponded is the event of that name, whoever called the tool. There may be two with one id (a tool that
// navigates); the first counts. ErrorText is empty if the page threw: see Exception.
type ToolResponded struct {
	InvocationID string          `json:"invocationId"`
	Status       string          `json:"status"`
	Output       json.RawMessage `json:"output,omitempty"`
	ErrorText    string          `json:"errorText,omitempty"`
	Exception    *RemoteObject   `json:"exception,omitempty"`
}

// PageError returns the page's own text about a failure; "" if the call succeeded.
func (e *ToolResponded) PageError() string {
	if x := e.Exception; x != nil {
		if x.Description != "" {
			return withoutStack(x.Description)
		}
		if len(x.Value) > 0 && string(x.Value) != "null" {
			var s string
			if json.Unmarshal(x.Value, &s) == nil {
				return s
			}
			return string(x.Value)
		}
	}
	return e.ErrorText
}

// withoutStack returns an error's description without the stack trace, which means nothing to an agent.
func withoutStack(description string) string {
	text, _, _ := strings.Cut(description, "\n    at ")
	return text
}
