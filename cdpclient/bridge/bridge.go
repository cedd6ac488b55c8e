package bridge

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"webmcphub/cdpclient"
	"webmcphub/extension/shared"
)

// World is the name of the isolated world in which the bridge runs. The hub learns each frame's context from
// [cdpclient.ExecutionContextCreated] events with this name.
const World = "webmcp_hub"

// Binding is the binding through which the bridge sends to the hub.
const Binding = "__mcpBridgeToClient"

// These are functions for [Call].
const (
	// Send carries one payload, given as JSON text, to the frame's server.
	Send = `function(m){__mcpBridge.toServer(m)}`
	// Request carries one request, given as JSON text, to the frame's server. Chrome's reply has the answer, for
	// [Answer], or no answer if the hub cancels the request or the page's server stops. The bridge may be one that an
	// older hub left in the page. Its answers come by the binding.
	Request = `function(m){return (__mcpBridge.request??__mcpBridge.toServer)(m)}`
	// CheckReady asks the frame's server to say "mcp-server-ready". It also repairs the bridge after document.open()
	// (Page.documentOpened), which removes all listeners of a window.
	CheckReady = `function(){__mcpBridge.checkReady();__mcpAdapter.checkReady()}`
)

// MaxPayload is the size limit of one binding payload, in bytes. The script sends at most 16 Mi UTF-16 units, each of
// which takes up to three bytes here.
const MaxPayload = 3*(16<<20) + 1024

//go:embed bridge.js
var bridgeFile string

var bridgeSource = sync.OnceValue(func() string {
	return "(() => {\n\"use strict\";\nconst webmcpHub = {};\n" + shared.MayHaveTools() + bridgeFile + "})();\n"
})

// Source returns the script.
func Source() string { return bridgeSource() }

// Command is one CDP command with its parameters.
type Command struct {
	Method string
	Params json.RawMessage
	// Script is the name of the script that the command adds to documents; "" for other commands. Chrome's result has
	// the script's identifier.
	Script string
}

// Install returns the commands, in order, that put the bridge and the adapter into all documents of a session: loaded
// ones and future ones. The session needs Page.enable and Runtime.enable. Out-of-process frames have sessions of
// their own. Installing twice is harmless.
func Install() []Command {
	return []Command{
		{Method: cdpclient.RuntimeAddBinding, Params: addBridgeBinding},
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument, Params: addBridgeScript(), Script: "bridge"},
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument, Params: addPageScript(), Script: "page"},
	}
}

// These params are made once, because every session gets them. Large ones are made when the first session needs them.
var (
	addBridgeBinding = mustJSON(cdpclient.AddBindingParams{Name: Binding, ExecutionContextName: World})
	addBridgeScript  = sync.OnceValue(func() json.RawMessage {
		return mustJSON(cdpclient.AddScriptParams{Source: bridgeSource() + adapterSource(), WorldName: World,
			RunImmediately: true})
	})
	addPageScript = sync.OnceValue(func() json.RawMessage {
		return mustJSON(cdpclient.AddScriptParams{Source: adapterPageSource(), RunImmediately: true})
	})
)

// CallMethod is the CDP method that takes a [Call]'s parameters.
const CallMethod = cdpclient.RuntimeCallFunctionOn

// Call returns the parameters of [CallMethod] for one of the functions above, in the bridge's context of one frame.
// uniqueContextID is the context's uniqueId, which, unlike its id, no other process of the tab will ever have.
func Call(uniqueContextID, function string, payload json.RawMessage) json.RawMessage {
	p := struct {
		Function string                   `json:"functionDeclaration"`
		Context  string                   `json:"uniqueContextId"`
		Silent   bool                     `json:"silent"`
		Await    bool                     `json:"awaitPromise"`
		Args     []cdpclient.CallArgument `json:"arguments,omitempty"`
	}{Function: function, Context: uniqueContextID, Silent: true, Await: true}
	if payload != nil {
		p.Args = []cdpclient.CallArgument{{Value: string(payload)}}
	}
	return mustJSON(p)
}

// CallError returns an error if a call failed inside the page. result is Chrome's result of the call.
func CallError(result json.RawMessage) error {
	if !bytes.Contains(result, []byte(`"exceptionDetails"`)) {
		return nil
	}
	var r cdpclient.EvaluateResult
	if err := json.Unmarshal(result, &r); err != nil || r.ExceptionDetails == nil {
		return err
	}
	what := r.ExceptionDetails.Text
	if r.ExceptionDetails.Exception != nil {
		first, _, _ := strings.Cut(r.ExceptionDetails.Exception.Description, "\n")
		what += " " + first
	}
	return fmt.Errorf("the bridge failed in the page: %s", what)
}

// Answer returns the answer in the result of a [Request]. came is false if there is none. The adapter sends its
// answers by the binding.
func Answer(result json.RawMessage) (m Message, came bool, err error) {
	if err := CallError(result); err != nil {
		return Message{}, false, err
	}
	var r struct{ Result struct{ Value *string } }
	if err := json.Unmarshal(result, &r); err != nil || r.Result.Value == nil {
		return Message{}, false, err
	}
	m, err = Decode(*r.Result.Value)
	return m, err == nil, err
}

// Message is one decoded binding payload.
type Message struct {
	// Adapter reports that the message comes from the adapter, not from the page's own server.
	Adapter bool
	// Payload is the message of the page's server: a JSON object or a JSON string; nil if it was too large to carry.
	Payload json.RawMessage
	// Oversize is the length, in UTF-16 units, of a message that was too large; 0 otherwise.
	Oversize int64
	// ID is the JSON-RPC id of the oversized message: a JSON string or integer, or nil if unknown.
	ID json.RawMessage
}

const (
	bridgeMCPHead     = `{"t":"mcp","p":`
	bridgeAdapterHead = `{"t":"dom","p":`
	bridgeTail        = `}`
)

// Decode decodes the payload of one [Binding] call. It is pure and strict: it returns an error for anything that the
// bridge does not write; the caller should ignore such a message. The result does not alias payload.
func Decode(payload string) (Message, error) {
	if len(payload) > MaxPayload {
		return Message{}, fmt.Errorf("bridge message of %d bytes is over the limit of %d", len(payload), MaxPayload)
	}
	inner, fromAdapter := strings.CutPrefix(payload, bridgeAdapterHead)
	ok := fromAdapter
	if !ok {
		inner, ok = strings.CutPrefix(payload, bridgeMCPHead)
	}
	if ok {
		inner, ok = strings.CutSuffix(inner, bridgeTail)
		if !ok || inner == "" || (inner[0] != '{' && inner[0] != '"') {
			return Message{}, errBridgeShape
		}
		raw := json.RawMessage(inner)
		if !json.Valid(raw) {
			return Message{}, errBridgeShape
		}
		return Message{Adapter: fromAdapter, Payload: raw}, nil
	}
	return decodeOversize(payload)
}

var errBridgeShape = errors.New("not a bridge message")

func decodeOversize(payload string) (Message, error) {
	if len(payload) > 1024 || !strings.HasPrefix(payload, `{"t":"oversize",`) {
		return Message{}, errBridgeShape
	}
	var m struct {
		T  string          `json:"t"`
		N  int64           `json:"n"`
		ID json.RawMessage `json:"id"`
	}
	d := json.NewDecoder(strings.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || d.InputOffset() != int64(len(payload)) || m.T != "oversize" || m.N <= 0 {
		return Message{}, errBridgeShape
	}
	if m.ID != nil && m.ID[0] != '"' {
		var id int64
		if json.Unmarshal(m.ID, &id) != nil || string(m.ID) == "null" {
			return Message{}, errBridgeShape
		}
	}
	return Message{Oversize: m.N, ID: m.ID}, nil
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // all callers pass literals
	}
	return raw
}
