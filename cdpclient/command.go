package cdpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Encoded holds a command's params that json.Marshal made of a struct or a map. They are not checked again. It is for
// scripts, which go to many documents; nil means no params.
type Encoded json.RawMessage

// encodeParams returns the JSON of a command's params, or nil if there are none.
func encodeParams(method string, params any) (json.RawMessage, error) {
	switch p := params.(type) {
	case nil:
		return nil, nil
	case Encoded:
		return json.RawMessage(p), nil
	case json.RawMessage:
		if !json.Valid(p) {
			return nil, fmt.Errorf("%s: the parameters are not valid JSON", method)
		}
		return p, nil
	}
	b, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("%s: encode the parameters: %w", method, err)
	}
	if len(b) == 0 || b[0] != '{' {
		return nil, errors.New(method + ": the parameters are not a JSON object")
	}
	return b, nil
}

// encodeCommand returns one whole message.
func encodeCommand(id uint64, s SessionID, method string, params json.RawMessage) []byte {
	b := make([]byte, 0, 64+len(s)+len(method)+len(params))
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, id, 10)
	b = append(b, `,"method":`...)
	b = appendString(b, method)
	if s != "" {
		b = append(b, `,"sessionId":`...)
		b = appendString(b, string(s))
	}
	if params != nil {
		b = append(b, `,"params":`...)
		b = append(b, params...)
	}
	return append(b, '}')
}

func appendString(b []byte, s string) []byte {
	if plainString([]byte(s)) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	q, _ := json.Marshal(s) // a string always has JSON
	return append(b, q...)
}
