package share

import (
	"bytes"
	"encoding/json"
)

// head is what a message is: of a request both id and method are set, of a
// notification the method, of an answer the id.
type head struct {
	id     string // as it is written, "" for none
	method string
	answer bool
}

func (h head) request() bool { return h.id != "" && h.method != "" }

// peek reads as much of a message as it must. What comes of something that is
// no message doesn't matter; answers of ours have the id before the result, so
// results are not read.
func peek(line []byte) (h head) {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return head{}
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return head{}
		}
		h.answer = h.answer || key == "result" || key == "error"
		var value json.RawMessage
		if !h.answer || h.id == "" {
			if d.Decode(&value) != nil {
				return head{}
			}
		}
		switch key {
		case "id":
			if value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9' {
				h.id = string(value)
			}
		case "method":
			_ = json.Unmarshal(value, &h.method)
		}
		if h.id != "" && (h.method != "" || h.answer) {
			break
		}
	}
	return h
}

// message makes a line.
func message(id, method string, params json.RawMessage) []byte {
	line := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		line = append(append(line, `,"id":`...), id...)
	}
	name, _ := json.Marshal(method)
	line = append(append(line, `,"method":`...), name...)
	if len(params) > 0 {
		line = append(append(line, `,"params":`...), params...)
	}
	return append(line, '}')
}

// answer makes the line of an answer; kind is "result" or "error".
func answer(id, kind string, body any) []byte {
	value, err := json.Marshal(body)
	if err != nil { // only our own values come here
		value = []byte("null")
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	line = append(append(line, `,"`+kind+`":`...), value...)
	return append(line, '}')
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolResult struct {
	Content []text `json:"content"`
	IsError bool   `json:"isError"`
}
