package main

import (
	"bytes"
	"encoding/json"
)

// plainJSON is json.Marshal without the escapes that HTML needs: people and
// agents read an address's "&" as it stands.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
