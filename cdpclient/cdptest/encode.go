package cdptest

import (
	"encoding/json"
	"strings"

	"webmcphub/cdpclient"
)

// A storm's events are encoded by hand: by reflection they would cost as much
// as the hub takes for them. Its tools have no annotations.

// encoded are an event's parameters that are JSON already.
type encoded []byte

func appendString(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(b, '"'), s...), '"')
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic("cdptest: " + err.Error()) // strings always have JSON
	}
	return append(b, text...)
}

// added is one tool's toolsAdded.
func added(t cdpclient.Tool) any {
	if t.Annotations != nil {
		return cdpclient.ToolsAdded{Tools: []cdpclient.Tool{t}}
	}
	b := make(encoded, 0, 128+len(t.Name)+len(t.Description)+len(t.InputSchema))
	b = appendString(append(b, `{"tools":[{"name":`...), t.Name)
	b = appendString(append(b, `,"description":`...), t.Description)
	if t.InputSchema != nil {
		b = append(append(b, `,"inputSchema":`...), t.InputSchema...)
	}
	b = appendString(append(b, `,"frameId":`...), t.FrameID)
	return append(b, `}]}`...)
}

// removed is one tool's toolsRemoved.
func removed(t cdpclient.RemovedTool) any {
	b := make(encoded, 0, 64+len(t.Name)+len(t.FrameID))
	b = appendString(append(b, `{"tools":[{"name":`...), t.Name)
	b = appendString(append(b, `,"frameId":`...), t.FrameID)
	return append(b, `}]}`...)
}

// emitEncoded is [session.emit] without encoding anything a second time.
func (s *session) emitEncoded(method string, params encoded) {
	b := make([]byte, 0, 64+len(method)+len(params)+len(s.id))
	b = appendString(append(b, `{"method":`...), method)
	b = append(append(b, `,"params":`...), params...)
	if s.id != "" {
		b = appendString(append(b, `,"sessionId":`...), string(s.id))
	}
	s.conn.send(append(b, '}'))
}
