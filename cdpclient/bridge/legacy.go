package bridge

import (
	_ "embed"
	"encoding/json"
	"strings"

	"webmcphub/cdpclient"
	"webmcphub/extension/shared"
)

//go:embed legacy.js
var legacySource string

// LegacyNameInstall is the command that gives the documents of a session that
// are to come navigator.modelContext, WebMCP's name of earlier drafts, before
// their first script. allow and deny are regular expressions of JavaScript for
// the origins of documents and of their pages, as Chrome says: where deny matches
// either, or allow doesn't (if there is any), documents stay as they are. The session needs Page.enable.
func LegacyNameInstall(allow, deny []string) Command {
	list := func(expressions []string) string {
		if expressions == nil {
			expressions = []string{}
		}
		return string(mustJSON(expressions))
	}
	source := strings.TrimSuffix(strings.TrimSpace(legacySource), ";") + "(" + list(allow) + ", " + list(deny) +
		", () => {\n" + shared.LegacyName() + "});"
	return Command{Method: cdpclient.PageAddScriptToEvaluateOnNewDocument,
		Params: json.RawMessage(mustJSON(cdpclient.AddScriptParams{Source: source})), Script: "legacy"}
}
