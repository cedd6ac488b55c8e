package focus

import (
	"encoding/json"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// These core tools of focus mode choose the tab that the agent works in.
const (
	ConnectBrowser = "connect_browser"
	ListTabs       = "list_tabs"
	OpenTab        = "open_tab"
	FocusOnTab     = "focus_tab"
	CloseTab       = "close_tab"
)

// Tool is the definition of one of the hub's own tools. It must not be modified.
type Tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations"`     // MCP's ToolAnnotations
	Meta         json.RawMessage `json:"_meta,omitempty"` // for clients
	Encoded      json.RawMessage `json:"-"`               // the whole MCP Tool object
}

// NewTool defines a tool by JSON texts; an empty output means no output schema.
func NewTool(name, description, input, output, annotations string) Tool {
	t := Tool{Name: name, Description: description, InputSchema: json.RawMessage(input),
		OutputSchema: json.RawMessage(output), Annotations: json.RawMessage(annotations)}
	t.Encoded = sanitize.Encode(t)
	return t
}

// Labelled returns the tool with a _meta for clients.
func (t Tool) Labelled(meta json.RawMessage) Tool {
	t.Meta = meta
	t.Encoded = sanitize.Encode(t)
	return t
}

// CoreTools returns all core tools, sorted by name. [State.CoreTools] says which of them a client sees.
func CoreTools() []Tool { return coreTools(one) }

// CoreToolsOfSeveral is CoreTools for a hub with several browsers.
func CoreToolsOfSeveral() []Tool { return coreTools(several) }

func coreTools(by schemas) []Tool {
	return []Tool{
		NewTool(CloseTab,
			"Closes a browser tab: the focused one, or the one that tabId names. After the focused tab is closed no "+
				"tab is focused; call focus_tab to go on with another.",
			closeTabInput, closeTabOutput,
			`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":false}`),
		NewTool(ConnectBrowser,
			"Connects to the browser: to the one that is running, or with launch=true to a new one if there is none. "+
				"The tools for its tabs appear then.",
			by.connectInput, by.connectOutput,
			`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`),
		NewTool(FocusOnTab,
			"Chooses the tab to work in: its page's tools become yours, and those of the tab before go. Call "+
				"list_tabs for the ids. The tab also comes to the front of its window, which the browser may raise "+
				"above others.",
			focusTabInput, by.focusOutput,
			`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`),
		NewTool(ListTabs,
			"Lists the browser's open tabs, how many tools each one's page offers (toolCount), and which tab is "+
				"focused. Titles and addresses are the pages' own words.",
			listTabsInput, by.listOutput, `{"readOnlyHint":true,"openWorldHint":false}`),
		NewTool(OpenTab,
			"Opens a web address (http or https) in a new tab and, unless focus is false, chooses that tab to work "+
				"in: its page's tools become yours. With focus false the tab opens in the background, and the one in "+
				"front stays there. A page may take a moment to offer its tools.",
			by.openInput, by.openOutput, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`),
	}
}

const (
	connectBrowserInput = `{"type":"object","properties":{"launch":{"type":"boolean","description":"Launch new browser instance if none found","default":false}}}`
	whichBrowser        = `"browser":{"type":"string","description":"Name or label of the browser, as list_tabs has it. Default: the first that is connected."}`
	listTabsInput       = `{"type":"object","properties":{}}`
	openTabInput        = `{"type":"object","properties":{` +
		`"url":{"type":"string","description":"URL to open"},` +
		`"focus":{"type":"boolean","description":"Focus the new tab after opening","default":true}},"required":["url"]}`
	focusTabInput = `{"type":"object","properties":{"tabId":{"type":"number","description":"ID of the tab to focus"},` +
		`"exclusive":{"type":"boolean","description":"Keep other clients' calls out of the tab until you focus another tab, or this one without exclusive.","default":false}},"required":["tabId"]}`
	closeTabInput = `{"type":"object","properties":{"tabId":{"type":"number","description":"ID of tab to close. Defaults to focused tab."}}}`
)

const (
	tabOutput            = `{"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string"},"url":{"type":"string"}},"required":["id","title","url"]}`
	toolsAvailableOutput = `{"type":"array","items":{"type":"string"},"description":"The names of the page's tools that can be called now."}`

	connectBrowserOutput = `{"type":"object","properties":{` +
		`"connected":{"type":"boolean"},` +
		`"browser":{"type":"object","properties":{"name":{"type":"string"},"version":{"type":"string"}},"required":["name","version"]},` +
		`"tabCount":{"type":"integer"},` +
		`"error":{"type":"string","description":"Why not, if not connected."},` +
		`"instructions":{"type":"string","description":"What to do then."}},"required":["connected"]}`

	listTabsOutput = `{"type":"object","properties":{` +
		`"tabs":{"type":"array","items":{"type":"object","properties":{` +
		`"id":{"type":"integer","description":"What focus_tab and close_tab take as tabId. A tab keeps it for life."},` +
		`"title":{"type":"string"},"url":{"type":"string"},` +
		`"focused":{"type":"boolean","description":"This tab's tools are yours now."},` +
		`"toolCount":{"type":"integer","description":"How many tools its page offers."},` +
		`"tokens":{"type":"integer","description":"About how many tokens these are in a list; absent if there are none."},` +
		`"state":{"type":"string","description":"What ails its page, or which dialog is open in it; absent while it is well."}},` +
		`"required":["id","title","url","focused","toolCount"]}},` +
		`"focusedTabId":{"type":["integer","null"],"description":"null if no tab is focused."}},"required":["tabs","focusedTabId"]}`

	openTabOutput = `{"type":"object","properties":{"tab":` + tabOutput +
		`,"focused":{"type":"boolean"},"toolsAvailable":` + toolsAvailableOutput +
		`,"state":{"type":"string","description":"Why it has no tools yet; absent where there is nothing to wait for."}},"required":["tab","focused","toolsAvailable"]}`

	focusTabOutput = `{"type":"object","properties":{"success":{"type":"boolean"},"tab":` + tabOutput +
		`,"toolsAvailable":` + toolsAvailableOutput + `},"required":["success","tab","toolsAvailable"]}`

	closeTabOutput = `{"type":"object","properties":{"closed":{"type":"boolean"},"tabId":{"type":"integer"}},"required":["closed","tabId"]}`
)

// schemas are the schemas that differ if there are several browsers.
type schemas struct{ connectInput, connectOutput, listOutput, openInput, openOutput, focusOutput string }

var one = schemas{connectBrowserInput, connectBrowserOutput, listTabsOutput, openTabInput, openTabOutput,
	focusTabOutput}

// several has the schemas that also report and accept a browser.
var several = func() schemas {
	with := func(schema, before, more string) string { return strings.Replace(schema, before, more+before, 1) }
	ofTab := func(schema string) string { return with(schema, `"title":{`, `"browser":{"type":"string"},`) }
	all := func(schema, before string) string { return with(schema, before, registry.BrowserListSchema+",") }
	return schemas{
		connectInput:  with(connectBrowserInput, `"launch":{`, whichBrowser+","),
		connectOutput: all(connectBrowserOutput, `"tabCount":{`),
		listOutput:    all(ofTab(listTabsOutput), `"focusedTabId":{`),
		openInput:     with(openTabInput, `"focus":{`, whichBrowser+","),
		openOutput:    ofTab(openTabOutput),
		focusOutput:   ofTab(focusTabOutput),
	}
}()
