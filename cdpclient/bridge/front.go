package bridge

import (
	_ "embed"

	"webmcphub/cdpclient"
)

// FrontBinding is the binding that is called when the user brings a tab to the
// front, and when a document of the tab at the front is new. The payload says
// nothing.
const FrontBinding = "__mcpFrontToClient"

//go:embed front.js
var frontSource string

// FrontInstall is the commands that have a page's session tell, by
// [FrontBinding], when its tab comes to the front: CDP itself has no event for
// that. The session needs Page.enable and Runtime.enable.
func FrontInstall() []Command {
	return []Command{
		{Method: cdpclient.RuntimeAddBinding,
			Params: mustJSON(cdpclient.AddBindingParams{Name: FrontBinding, ExecutionContextName: World})},
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument,
			Params: mustJSON(cdpclient.AddScriptParams{Source: frontSource, WorldName: World, RunImmediately: true}),
			Script: "front"},
	}
}
