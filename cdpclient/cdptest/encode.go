package cdptest

import (
	"strings"

	"webmcphub/cdpclient"
)

// A storm's events are encoded by hand: by reflection they would cost as much
// as the hub takes for them.

// encoder is an event that appends its parameters as JSON, of about that size.
type encoder interface {
	size() int
	appendJSON(b []byte) []byte
}

// added is one tool's toolsAdded, and removed its toolsRemoved.
type (
	added   cdpclient.Tool
	removed cdpclient.RemovedTool
)

func (t *added) size() int {
	return 64 + len(t.Name) + len(t.Description) + len(t.InputSchema) + len(t.FrameID)
}
func (t *removed) size() int { return 40 + len(t.Name) + len(t.FrameID) }

func (t *added) appendJSON(b []byte) []byte {
	if t.Annotations != nil { // not a storm's
		return append(b, mustJSON(cdpclient.ToolsAdded{Tools: []cdpclient.Tool{cdpclient.Tool(*t)}})...)
	}
	b = appendString(append(b, `{"tools":[{"name":`...), t.Name)
	b = appendString(append(b, `,"description":`...), t.Description)
	if t.InputSchema != nil {
		b = append(append(b, `,"inputSchema":`...), t.InputSchema...)
	}
	b = appendString(append(b, `,"frameId":`...), t.FrameID)
	return append(b, `}]}`...)
}

func (t *removed) appendJSON(b []byte) []byte {
	b = appendString(append(b, `{"tools":[{"name":`...), t.Name)
	b = appendString(append(b, `,"frameId":`...), t.FrameID)
	return append(b, `}]}`...)
}

// encodeEvent makes the whole message.
func encodeEvent(method string, params encoder, s cdpclient.SessionID) []byte {
	b := make([]byte, 0, 48+len(method)+len(s)+params.size())
	b = appendString(append(b, `{"method":`...), method)
	b = params.appendJSON(append(b, `,"params":`...))
	if s != "" {
		b = appendString(append(b, `,"sessionId":`...), string(s))
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(b, '"'), s...), '"')
	}
	return append(b, mustJSON(s)...)
}
