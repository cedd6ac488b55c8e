package bridge

import (
	"webmcphub/cdpclient"
	"webmcphub/extension/shared"
)

// LegacyNameInstall returns the command that gives future documents of a session navigator.modelContext, the name
// that earlier drafts of WebMCP used, before the document's first script. The session needs Page.enable.
func LegacyNameInstall() []Command {
	return []Command{
		{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument,
			Params: mustJSON(cdpclient.AddScriptParams{Source: shared.LegacyName()}), Script: "legacy"},
	}
}
