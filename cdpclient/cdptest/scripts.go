package cdptest

import (
	"bytes"
	"encoding/json"
	"maps"
	"sync/atomic"

	"webmcphub/cdpclient"
)

// decoded are scripts by the whole of their command's params. No lock guards them: it would put all
// hubs' goroutines in an order, and hide races from the detector.
var decoded atomic.Pointer[map[string]cdpclient.AddScriptParams]

// maxScripts is how many scripts are remembered: there are more only if they differ by test.
const maxScripts = 64

// Decode decodes the params of Page.addScriptToEvaluateOnNewDocument.
func Decode(params json.RawMessage) (p cdpclient.AddScriptParams, err error) {
	before := decoded.Load()
	if before != nil {
		if p, ok := (*before)[string(params)]; ok {
			return p, nil
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return p, err
	}
	after := map[string]cdpclient.AddScriptParams{string(params): p}
	if before != nil && len(*before) < maxScripts {
		maps.Copy(after, *before)
	}
	decoded.CompareAndSwap(before, &after) // or else it is decoded again
	return p, nil
}

// Command decodes into to a command whose params stand last and have been decoded before: it is
// valid if what stands before them is. It returns them, or false for any other command.
func ParseCommand(msg []byte, to any) (params json.RawMessage, ok bool) {
	head, rest, ok := bytes.Cut(msg, []byte(`,"params":`))
	if !ok || !bytes.HasSuffix(rest, []byte("}")) {
		return nil, false
	}
	params = rest[:len(rest)-1]
	if !known(params) {
		return nil, false
	}
	return params, json.Unmarshal(append(head[:len(head):len(head)], '}'), to) == nil
}

func known(params []byte) bool {
	all := decoded.Load()
	if all == nil {
		return false
	}
	_, ok := (*all)[string(params)]
	return ok
}
