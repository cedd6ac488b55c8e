package share

import (
	"encoding/json"

	"webmcphub/internal/jsonrpc"
)

// request, notification and refusal make the messages that a relay sends itself.
func request(id, method string, params json.RawMessage) []byte {
	return jsonrpc.Request(json.RawMessage(id), method, params).Bytes()
}

func notification(method string, params json.RawMessage) []byte {
	return jsonrpc.Notification(method, params).Bytes()
}

func refusal(id string, code int, why string) []byte {
	return jsonrpc.Failure(json.RawMessage(id), jsonrpc.Errorf(code, "%s", why)).Bytes()
}

// failedCall answers a call with a tool's error, because models read results.
func failedCall(id, why string) []byte {
	result := toolResult{[]text{{"text", why}}, true}
	return jsonrpc.Result(json.RawMessage(id), jsonrpc.MustEncode(result)).Bytes()
}

type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolResult struct {
	Content []text `json:"content"`
	IsError bool   `json:"isError"`
}
