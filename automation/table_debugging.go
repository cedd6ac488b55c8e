package automation

import "encoding/json"

func debuggingTools() []Tool {
	return []Tool{
		{
			Name: "take_snapshot", Title: "Take a snapshot", Category: Debugging,
			Description: "Shows the page as text, with uids of elements for other tools. Prefer it to screenshots.",
			Input: object(yesno("diff", "Since your last"), text("query", "Only this text or /regex/"), text("root", "uid: only what is in it"),
				count("skip", 1, ""), count("depth", 1, ""), count("maxTokens", 0, "Default: 6000; 0: all"),
				yesno("viewportOnly", ""), yesno("verbose", ""), filePath, pageID),
			Effect: Reads, OpenWorld: true,
			run: (*Request).takeSnapshot,
		},
		{
			Name: "take_screenshot", Title: "Take a screenshot", Category: Debugging,
			Description: "Takes a picture of what the page shows, of one element, or of the full page.",
			Input: object(oneOf("format", "Default: png", "png", "jpeg", "webp"), field{name: "quality", schema: `{"type":"integer","minimum":0,"maximum":100}`},
				text("uid", ""), yesno("fullPage", ""), count("maxSize", 0, "Of the longer side in pixels. Default: 1568; 0: any"), filePath, pageID),
			Effect: Reads, OpenWorld: true,
			run: (*Request).takeScreenshot,
		},
		{
			Name: "evaluate_script", Title: "Run JavaScript", Category: Debugging,
			Description: "Runs a JavaScript function in the page and gives what it returns, as JSON.",
			Input: object(text("function", "Such as (el) => el.innerText; it may be async"), text("sourcePath", "File with the function"),
				oneOf("format", "script: run as statements", "function", "script"),
				texts("args", 0, "uids of elements to pass"), text("frame", "Part of a frame's address"), text("dialogAction", "accept (default), dismiss, or a prompt's answer"),
				timeout, filePath, pageID),
			Effect: Acts, OpenWorld: true,
			earlier: func(args map[string]json.RawMessage) { uidsAsTexts(args, "args") },
			run:     (*Request).evaluateScript,
		},
		{
			Name: "list_console_messages", Title: "List console messages", Category: Debugging,
			Description: "Lists the page's console messages, uncaught errors and issues since its document began.",
			Input: object(texts("types", 0, "log, warn, error, issue, …"), text("textContains", ""),
				yesno("includePreservedMessages", "Also of the last 3 documents"), yesno("includeStackTraces", ""), pageSize, pageIndex, pageID),
			Effect: Reads, OpenWorld: true,
			run: (*Request).listConsoleMessages,
		},
		{
			Name: "get_console_message", Title: "Get a console message", Category: Debugging,
			Description: "One message with its arguments and stack.",
			Input:       object(count("msgid", 0, "").must(), pageID),
			Effect:      Reads, OpenWorld: true,
			run: (*Request).getConsoleMessage,
		},
	}
}

// uidsAsTexts takes the uids out of a list of {"uid": …}.
func uidsAsTexts(args map[string]json.RawMessage, name string) {
	var elements []json.RawMessage
	if json.Unmarshal(args[name], &elements) != nil {
		return
	}
	for i, e := range elements {
		var was struct {
			UID json.RawMessage `json:"uid"`
		}
		if json.Unmarshal(e, &was) == nil && was.UID != nil {
			elements[i] = was.UID
		}
	}
	args[name] = mustEncode(elements)
}
