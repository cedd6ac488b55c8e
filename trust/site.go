package trust

import (
	"encoding/json"
	"slices"

	"webmcphub/mcpserver/calls"
)

// siteKind is a kind of actions that a person allows together for a site ([AskSite]).
type siteKind string

// siteKinds are the kinds in words, as the choices of a question name them.
var siteKinds = map[siteKind]string{
	"tools":       "this site's tools, except those that it calls destructive",
	"destructive": "this site's tools that it calls destructive",
	"input":       "clicks, keys and other input on this site",
	"scripts":     "scripts on this site",
	"uploads":     "uploads to this site",
	"emulation":   "emulation of devices and headers on this site",
	"prompts":     "this site's prompts and resources",
	"requests":    "answers to what this site asks of the agent",
}

// siteKindOf returns the kind of an action.
func siteKindOf(d calls.Action) siteKind {
	switch d.Kind {
	case calls.PageTool, calls.Introspected:
		if d.Class == calls.Destructive {
			return "destructive"
		}
		return "tools"
	case calls.Resource, calls.Prompt:
		return "prompts"
	case calls.PageRequest:
		return "requests"
	}
	switch {
	case d.Name == "evaluate_script" || hasScript(d.Args):
		return "scripts"
	case d.Name == "upload_file":
		return "uploads"
	case d.Name == "emulate":
		return "emulation"
	}
	return "input"
}

// onSite reports whether the answer to a question is for all actions of a kind on the site.
func onSite(asks []reason) bool {
	return len(asks) > 0 && !slices.ContainsFunc(asks, func(r reason) bool { return !r.site })
}

// opensAddress reports whether an action only opens an address. [Flow] decides about data of another site in the
// address.
func opensAddress(d calls.Action) bool {
	return d.Kind == calls.BrowserTool && slices.Contains([]string{"new_page", "navigate_page", "open_tab"}, d.Name) &&
		!hasScript(d.Args)
}

// hasScript reports whether a navigation brings a script to the page.
func hasScript(args json.RawMessage) bool {
	var a struct {
		InitScript *json.RawMessage `json:"initScript"`
	}
	return len(args) > 0 && (json.Unmarshal(args, &a) != nil || a.InitScript != nil)
}
