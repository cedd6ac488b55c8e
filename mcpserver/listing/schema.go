package listing

import (
	"strings"

	"webmcphub/registry"
)

// Schemas, as JSON.
const (
	// ListInput and ListOutput are the schemas of list_webmcp_tools.
	ListInput = `{"type":"object","properties":{` +
		`"tab":{"type":"integer","description":"Id of one tab; without it, all."},` +
		`"page":{"type":"integer","minimum":0,"description":"Index of one page, whose tools are then all shown in full."},` +
		`"detail":{"type":"string","enum":["names","signature","full"],"description":"Of each tool. Default: as much as fits."},` +
		`"maxTokens":{"type":"integer","minimum":0,"description":"Length of the answer, estimated. Default: 10000, of the overview 2000; 0: no limit."},` +
		`"cursor":{"type":"string","description":"nextCursor of the answer before."}}}`

	ListOutput = `{"type":"object","properties":{` +
		`"browser":{"type":"string","description":"What is the matter with the browser; absent if nothing."},` +
		`"sites":{"type":"array","description":"Tools that go to whichever tab of their site has them; absent if there are none.","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},"tool":{"type":"string"},"site":{"type":"string"},"tabs":{"type":"integer","description":"How many open tabs have it."},` +
		`"cached":{"type":"boolean","description":"No open tab has it; a call opens one."},"signature":{"type":"string"},"description":{"type":"string"},"inputSchema":{"type":"object"},` + hintsSchema + `},` +
		`"required":["name","site","tabs"]}},` +
		PagesSchema + `"required":["name"]}}` + PagesSchemaEnd + `,` +
		`"tabs":{"type":"array","description":"In place of pages where these are too long: of each tab its id, site, number of tools and title.","items":{"type":"string"}},` +
		`"detail":{"type":"string","description":"How much of each tool is shown, if it may not be all."},` +
		`"tokens":{"type":"integer","description":"About how long this is."},` +
		`"nextCursor":{"type":"string","description":"Where this part of the list ends; absent at its end."},` +
		`"note":{"type":"string"}}}`

	hintsSchema = `"annotations":{"type":"object","description":"What the page says of the tool; nobody has checked it."},` +
		`"claimed":{"type":"object","description":"What the page also claims and the hub keeps out of the tool's annotations, because it is not to be relied on."}`

	// PagesSchema begins the schema of pages, and PagesSchemaEnd ends it. The list of a tool's required members goes
	// between them.
	PagesSchema = `"pages":{"type":"array","items":{"type":"object","properties":{` +
		`"page":{"type":"integer","description":"The page's index."},` +
		`"tabId":{"type":"integer","description":"A number that the page keeps for life."},` +
		`"url":{"type":"string"},"origin":{"type":"string","description":"The page's origin, where that is not its address's; null is an opaque one."},"title":{"type":"string"},` +
		`"state":{"type":"string","description":"What ails the page; absent if nothing."},` +
		`"tools":{"type":"array","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"The name to call."},` +
		`"tool":{"type":"string","description":"The page's own name for it."},` +
		`"origin":{"type":"string","description":"Whose tool it is, if it is that of a frame from another origin; absent if it is the page's own."},` +
		`"signature":{"type":"string"},"description":{"type":"string"},"inputSchema":{"type":"object"},"introspected":{"type":"boolean"},` + hintsSchema + `},`
	PagesSchemaEnd = `,"refused":{"type":"array","items":{"type":"object","properties":{"tool":{"type":"string"},"why":{"type":"string"}},"required":["tool","why"]}}},` +
		`"required":["page","tabId","url","title","tools","refused"]}}`
)

// OutputOfSeveral is ListOutput for a hub with several browsers.
var OutputOfSeveral = strings.NewReplacer(
	`"sites":{`, registry.BrowserListSchema+`,"sites":{`,
	`"url":{"type":"string"},"origin":{`,
	`"browser":{"type":"string","description":"The page's browser."},"url":{"type":"string"},"origin":{`,
).Replace(ListOutput)
