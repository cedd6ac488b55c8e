package automation

import "webmcphub/automation/schema"

func navigationTools(several bool) []Tool {
	opens := []schema.Field{schema.Text("url", "").Must(), schema.YesNo("background", "Behind the tab in front. "+
		"Default: true"),
		schema.Text("isolatedContext", "A context with cookies and storage of its own"), timeout}
	if several {
		opens = append(opens, schema.Text("browser", "Name or label of the browser, as list_pages has it. Default: "+
			"that of your current page, else the first that is connected"))
	}
	return []Tool{
		{
			Name: "list_pages", Title: "List pages", Category: Navigation, Tabs: true,
			Description: "Lists the open pages: id, title, address, which is current, who uses it. Other tools take " +
				"an id as pageId. Default: the current page.",
			Input:  schema.Object(),
			Effect: Reads, OpenWorld: false,
			run: (*Request).listPages,
		},
		{
			Name: "select_page", Title: "Select a page", Category: Navigation, Tabs: true,
			Description: "Makes a page your current one.",
			Input:       schema.Object(pageID.Must(), schema.YesNo("bringToFront", "Also show the tab to the user")),
			Effect:      Chooses, Idempotent: true,
			run: with((*Request).selectPage),
		},
		{
			Name: "new_page", Title: "Open a page", Category: Navigation, Tabs: true,
			Description: "Opens an address in a new tab, which becomes your current page.",
			Input:       schema.Object(opens...),
			Effect:      Acts, OpenWorld: true,
			run: with((*Request).newPage),
		},
		{
			Name: "close_page", Title: "Close a page", Category: Navigation, Tabs: true,
			Description: "Closes a tab, without asking its page.",
			Input:       schema.Object(pageID.Must()),
			Effect:      Irrevocably, Idempotent: true,
			run: with((*Request).closePage),
		},
		{
			Name: "navigate_page", Title: "Navigate", Category: Navigation,
			Description: "Goes to an address, back, forward, or reloads, and waits for the page to load.",
			Input: schema.Object(schema.OneOf("type", "Default: url", "url", "back", "forward", "reload"),
				schema.Text("url", ""), schema.YesNo("ignoreCache", "On reload"),
				schema.OneOf("handleBeforeUnload", "Default: accept", "accept", "dismiss"),
				schema.Text("initScript", "JavaScript to run before the page's own"), timeout, pageID),
			Effect: Acts, OpenWorld: true,
			run: with((*Request).navigatePage),
		},
		{
			Name: "wait_for", Title: "Wait", Category: Navigation,
			Description: "Waits until the page shows one of these texts, no longer shows others, or is at an " +
				"address. Default timeout: 30 s.",
			Input: schema.Object(schema.Texts("text", 1, "Any of these"), schema.Texts("textGone", 1, "None of these"),
				schema.Text("urlContains", ""), timeout,
				withSnapshot, pageID),
			Effect: Reads, OpenWorld: true,
			earlier: schema.OneAsList("text", "text"),
			run:     onPage((*Request).waitFor),
		},
	}
}
