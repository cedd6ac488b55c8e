package automation

import "webmcphub/automation/schema"

func debuggingTools() []Tool {
	return []Tool{
		{
			Name: "take_snapshot", Title: "Take a snapshot", Category: Debugging,
			Description: "Shows the page as text, with uids for other tools. Prefer it to screenshots.",
			Input: schema.Object(schema.YesNo("diff", "Since your last"),
				schema.Text("query", "Only this text or /regex/"), schema.Text("root", "uid: only what is in it"),
				schema.Count("skip", 1, ""), schema.Count("depth", 1, ""),
				schema.Count("maxTokens", 0, "Default: 6000; 0: all"),
				schema.YesNo("viewportOnly", ""), schema.YesNo("verbose", "more uids"), filePath, pageID),
			Effect: Reads, OpenWorld: true,
			run: onPage((*Request).takeSnapshot),
		},
		{
			Name: "take_screenshot", Title: "Take a screenshot", Category: Debugging,
			Description: "Takes a picture of the viewport, of one element, or of the full page.",
			Input: schema.Object(schema.OneOf("format", "Default: png", "png", "jpeg", "webp"),
				schema.Field{Name: "quality", Schema: `{"type":"integer","minimum":0,"maximum":100}`},
				schema.Text("uid", ""), schema.YesNo("fullPage", ""),
				schema.Count("maxSize", 0, "Of the longer side in px. Default: 1568; 0: any"), filePath, pageID),
			Effect: Reads, OpenWorld: true,
			run: with((*Request).takeScreenshot),
		},
		{
			Name: "evaluate_script", Title: "Run JavaScript", Category: Debugging,
			Description: "Runs a JavaScript function in the page and gives what it returns, as JSON.",
			Input: schema.Also(schema.Object(schema.Text("function", "Such as (el) => el.innerText; it may be async"),
				schema.Text("sourcePath", "File with the function"),
				schema.OneOf("format", "script: run as statements", "function", "script"),
				schema.Texts("args", 0, "uids of elements to pass"), schema.Text("frame", "Part of a frame's address"),
				schema.Text("dialogAction", "accept (default), dismiss, or a prompt's answer"),
				timeout, filePath, pageID), schema.YesNo("waitForStableDom", ""), serviceWorkerID),
			Effect: Acts, OpenWorld: true,
			earlier: schema.UIDsAsTexts("args"),
			run:     with((*Request).evaluateScript),
		},
		{
			Name: "list_console_messages", Title: "List console messages", Category: Debugging,
			Description: "Lists the page's console messages, uncaught errors and issues since its document began.",
			Input: schema.Also(schema.Object(schema.Texts("types", 0, "log, warn, error, issue, …"),
				schema.Text("textContains", ""),
				schema.YesNo("includePreservedMessages", "Also of the last 3 documents"),
				schema.YesNo("includeStackTraces", ""), pageSize, pageIndex, pageID), serviceWorkerID),
			Effect: Reads, OpenWorld: true,
			run: with((*Request).listConsoleMessages),
		},
		{
			Name: "get_console_message", Title: "Get a console message", Category: Debugging,
			Description: "One message with its arguments and stack.",
			Input:       schema.Object(schema.Count("msgid", 0, "").Must(), pageID),
			Effect:      Reads, OpenWorld: true,
			run: onPage((*Request).getConsoleMessage),
		},
	}
}
