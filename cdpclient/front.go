package cdpclient

import _ "embed"

// FrontBinding is the binding that is called when the user brings a tab to the
// front, and when a document of the tab at the front is new. The payload says
// nothing.
const FrontBinding = "__mcpFrontToClient"

//go:embed front.js
var frontSource string

// FrontInstall is the commands that have a page's session tell, by
// [FrontBinding], when its tab comes to the front: CDP itself has no event for
// that. The session needs Page.enable and Runtime.enable.
func FrontInstall() []BridgeCommand {
	return []BridgeCommand{
		{Method: RuntimeAddBinding, Params: mustJSON(AddBindingParams{Name: FrontBinding, ExecutionContextName: BridgeWorld})},
		{Method: PageAddScriptToEvaluateOnNewDocument, Params: mustJSON(AddScriptParams{Source: frontSource, WorldName: BridgeWorld, RunImmediately: true}), Script: "front"},
	}
}
