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

// LegacyNameInstall returns the command that gives future documents of a session navigator.modelContext, the name
// that earlier drafts of WebMCP used, before the document's first script. allow and deny are JavaScript regular
// expressions for the origins of documents and of their pages, as Chrome reports them. A document stays as it is if
// deny matches either origin, or if there is an allow that doesn't match. The session needs Page.enable.
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
