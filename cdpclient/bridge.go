package cdpclient

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"webmcphub/extension/shared"
)

// The bridge is a small script in an isolated world of every frame. It carries JSON between the page-side MCP server of
// that frame (window.postMessage, as @mcp-b/global speaks it) and a CDP binding, and knows nothing of MCP.
//
// # From the page: Runtime.bindingCalled
//
// name is [BridgeBinding], executionContextId is the isolated context *of the frame whose server spoke*, payload is one
// of exactly three texts, see [DecodeBridge]:
//
//	{"t":"mcp","p":PAYLOAD}              PAYLOAD: a JSON object (JSON-RPC) or string ("mcp-server-ready", "mcp-server-stopped")
//	{"t":"dom","p":PAYLOAD}              the same, but from the frame's adapter: see adapter.go
//	{"t":"oversize","n":UNITS,"id":ID}   a message of UNITS UTF-16 units was dropped; "id" only if it was a short string or an integer
//
// # To the page
//
// [BridgeSend] and [BridgeCheckReady], called in that same context with [BridgeCall].
//
// # Frames
//
// A server in a frame hears only its parent window and answers only to it. The worlds of one name are one world in all
// frames of a renderer (measured, Chromium 156), so the bridges of parent and child see each other: the parent's hears
// the answer, looks at who sent it, and hands it to the child's bridge, which calls its own binding; the child's bridge
// has the parent's post for it. The hub need not know: each frame's context speaks for that frame, at any depth. Only
// same-origin parents and children are linked; the browser itself refuses the rest, also within one process. Nothing is shared with the page: its scripts run in another world.
//
// # Permission
//
// Nothing is carried to or from a document that may not have tools: an iframe of another origin without allow="tools", a sandboxed
// one, or one that a Permissions-Policy header keeps them from. Where Chrome's own WebMCP is off, its policy isn't known, and
// only frames whose parents all have their origin are served, as by the adapter.
//
// # Trust
//
// Same window, same origin, trusted events only. Scripts of the page itself can still forge what its server says and
// read what it is asked (that is the same window): treat every payload as the page's own words.

// BridgeWorld is the name of the isolated world that the bridge lives in. [ExecutionContextCreated] events with this
// name tell the hub which context belongs to which frame.
const BridgeWorld = "webmcp_hub"

// BridgeBinding is the binding through which the bridge speaks to the hub.
const BridgeBinding = "__mcpBridgeToClient"

// Functions for [BridgeCall].
const (
	// BridgeSend carries one payload, given as JSON text, to the frame's server.
	BridgeSend = `function(m){__mcpBridge.toServer(m)}`
	// BridgeCheckReady asks the frame's server to say "mcp-server-ready". It also repairs the bridge after document.open()
	// (Page.documentOpened), which takes all listeners of a window away.
	BridgeCheckReady = `function(){__mcpBridge.checkReady();__mcpAdapter.checkReady()}`
)

// MaxBridgePayload is the most that one binding payload may have, in bytes. The script stops at 16 Mi UTF-16 units,
// each of which is up to three bytes here.
const MaxBridgePayload = 3*(16<<20) + 1024

//go:embed bridge.js
var bridgeFile string

var bridgeSource = "(() => {\n\"use strict\";\nconst webmcpHub = {};\n" + shared.MayHaveTools() + bridgeFile + "})();\n"

// BridgeSource is the script.
func BridgeSource() string { return bridgeSource }

// BridgeCommand is one CDP command with its parameters.
type BridgeCommand struct {
	Method string
	Params json.RawMessage
	// Script names the script that the command puts into documents, "" if it's another command. Chrome's result has the
	// script's identifier.
	Script string
}

// BridgeInstall is the commands that put the bridge and the adapter into all documents of a session, in order: those that are loaded
// and those to come. The session needs Page.enable and Runtime.enable. Out-of-process frames are sessions of their own.
// Installing twice is harmless.
func BridgeInstall() []BridgeCommand {
	return []BridgeCommand{
		{Method: RuntimeAddBinding, Params: addBridgeBinding},
		{Method: PageAddScriptToEvaluateOnNewDocument, Params: addBridgeScript, Script: "bridge"},
		{Method: PageAddScriptToEvaluateOnNewDocument, Params: addPageScript, Script: "page"},
	}
}

// Made once: every session is sent them.
var (
	addBridgeBinding = mustJSON(AddBindingParams{Name: BridgeBinding, ExecutionContextName: BridgeWorld})
	addBridgeScript  = mustJSON(AddScriptParams{Source: bridgeSource + adapterSource, WorldName: BridgeWorld, RunImmediately: true})
	addPageScript    = mustJSON(AddScriptParams{Source: adapterPageSource, RunImmediately: true})
)

// BridgeCallMethod is the CDP method that takes a [BridgeCall]'s parameters.
const BridgeCallMethod = RuntimeCallFunctionOn

// BridgeCall is the parameters of [BridgeCallMethod] for one of the functions above, in the bridge's context of one
// frame. uniqueContextID is the context's uniqueId: unlike its id, no other process of the tab will ever have it.
func BridgeCall(uniqueContextID, function string, payload json.RawMessage) json.RawMessage {
	p := struct {
		Function string         `json:"functionDeclaration"`
		Context  string         `json:"uniqueContextId"`
		Silent   bool           `json:"silent"`
		Args     []CallArgument `json:"arguments,omitempty"`
	}{Function: function, Context: uniqueContextID, Silent: true}
	if payload != nil {
		p.Args = []CallArgument{{Value: string(payload)}}
	}
	return mustJSON(p)
}

// BridgeCallError tells whether a call that Chrome carried out failed inside the page, from the call's result.
func BridgeCallError(result json.RawMessage) error {
	if !bytes.Contains(result, []byte(`"exceptionDetails"`)) {
		return nil
	}
	var r EvaluateResult
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

// BridgeMessage is one decoded binding payload.
type BridgeMessage struct {
	// Adapter says that the message is the adapter's, not that of the page's own server.
	Adapter bool
	// Payload is what the page's server said: a JSON object or a JSON string. nil if it was too large to carry.
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

// DecodeBridge decodes the payload of one [BridgeBinding] call. It is pure and strict: what the bridge does not write is
// an error (then ignore the message). The result does not alias payload.
func DecodeBridge(payload string) (BridgeMessage, error) {
	if len(payload) > MaxBridgePayload {
		return BridgeMessage{}, fmt.Errorf("bridge message of %d bytes is over the limit of %d", len(payload), MaxBridgePayload)
	}
	inner, fromAdapter := strings.CutPrefix(payload, bridgeAdapterHead)
	ok := fromAdapter
	if !ok {
		inner, ok = strings.CutPrefix(payload, bridgeMCPHead)
	}
	if ok {
		inner, ok = strings.CutSuffix(inner, bridgeTail)
		if !ok || inner == "" || (inner[0] != '{' && inner[0] != '"') {
			return BridgeMessage{}, errBridgeShape
		}
		raw := json.RawMessage(inner)
		if !json.Valid(raw) {
			return BridgeMessage{}, errBridgeShape
		}
		return BridgeMessage{Adapter: fromAdapter, Payload: raw}, nil
	}
	return decodeOversize(payload)
}

var errBridgeShape = errors.New("not a bridge message")

func decodeOversize(payload string) (BridgeMessage, error) {
	if len(payload) > 1024 || !strings.HasPrefix(payload, `{"t":"oversize",`) {
		return BridgeMessage{}, errBridgeShape
	}
	var m struct {
		T  string          `json:"t"`
		N  int64           `json:"n"`
		ID json.RawMessage `json:"id"`
	}
	d := json.NewDecoder(strings.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || d.InputOffset() != int64(len(payload)) || m.T != "oversize" || m.N <= 0 {
		return BridgeMessage{}, errBridgeShape
	}
	if m.ID != nil && m.ID[0] != '"' {
		var id int64
		if json.Unmarshal(m.ID, &id) != nil || string(m.ID) == "null" {
			return BridgeMessage{}, errBridgeShape
		}
	}
	return BridgeMessage{Oversize: m.N, ID: m.ID}, nil
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own literals come here
	}
	return raw
}
