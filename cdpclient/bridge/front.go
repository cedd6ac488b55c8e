package bridge

import (
	_ "embed"

	"webmcphub/cdpclient"
)

// FrontBinding is the binding that is called when the user brings a tab to the front, and when the tab at the front
// gets a new document. The payload carries no information.
const FrontBinding = "__mcpFrontToClient"

//go:embed front.js
var frontSource string

// FrontInstall returns the commands that make a page's session report, by [FrontBinding], that its tab comes to the
// front; CDP itself has no event for that. The session needs Page.enable and Runtime.enable.
func FrontInstall() []Command {
	return []Command{
		{Method: cdpclient.RuntimeAddBinding,
			Params: mustJSON(cdpclient.AddBindingParams{Name: FrontBinding, ExecutionContextName: World})},
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument,
			Params: mustJSON(cdpclient.AddScriptParams{Source: frontSource, WorldName: World, RunImmediately: true}),
			Script: "front"},
	}
}
