package bridge

import (
	"encoding/json"

	"webmcphub/cdpclient"
	"webmcphub/extension/shared"
)

// Guarded returns the commands with scripts that do nothing in documents that the rules don't permit: they return at
// once, add no listener, post no message and define nothing. The rules are those of extension/shared/origin-rules.js;
// nil permits all. The script checks the document's own origin and its page's, which it gets from Chrome. (The hub
// can't keep Chrome from running the script: it adds a session's scripts before anybody knows the next document.)
func Guarded(commands []Command, rules json.RawMessage) []Command {
	if rules == nil {
		return commands
	}
	guarded := make([]Command, len(commands))
	for i, c := range commands {
		var p cdpclient.AddScriptParams
		// The hub made the params, so they can be decoded.
		if c.Method == cdpclient.PageAddScriptToEvaluateOnNewDocument && json.Unmarshal(c.Params, &p) == nil {
			p.Source = "(() => {\nconst webmcpHub = {};\n" + shared.OriginRules() +
				"if (!webmcpHub.documentPermitted(" + string(rules) + ")) return;\n" + p.Source + "\n})();\n"
			c.Params = mustJSON(p)
		}
		guarded[i] = c
	}
	return guarded
}
