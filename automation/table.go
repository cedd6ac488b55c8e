package automation

import (
	"slices"
	"strings"

	"webmcphub/automation/schema"
)

// Table returns the tools of these categories, sorted by name. The arguments of each are those of its handler.
func Table(on []Category, several bool) []*Tool {
	var all []*Tool
	for _, tools := range [][]Tool{navigationTools(), inputTools(), emulationTools(), performanceTools(), networkTools(),
		debuggingTools()} {
		for i := range tools {
			t := &tools[i]
			if !slices.Contains(on, t.Category) {
				continue
			}
			if t.Args = t.run.args; !several {
				t.Args = t.Args.Without("browser")
			}
			t.Input = t.Args.Schema()
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func navigationTools() []Tool {
	return []Tool{
		{
			Name: "list_pages", Title: "List pages", Category: Navigation, Tabs: true,
			Description: "Lists the open pages: id, title, address, which is current, who uses it. Other tools take " +
				"an id as pageId. Default: the current page.",
			Effect: Reads, OpenWorld: false, run: handler{call: (*Request).listPages},
		},
		{
			Name: "select_page", Title: "Select a page", Category: Navigation, Tabs: true,
			Description: "Makes a page your current one.",
			Effect:      Chooses, Idempotent: true, run: with((*Request).selectPage),
		},
		{
			Name: "new_page", Title: "Open a page", Category: Navigation, Tabs: true,
			Description: "Opens an address in a new tab, which becomes your current page.",
			Effect:      Acts, OpenWorld: true, run: with((*Request).newPage),
		},
		{
			Name: "close_page", Title: "Close a page", Category: Navigation, Tabs: true,
			Description: "Closes a tab, without asking its page.",
			Effect:      Irrevocably, Idempotent: true, run: with((*Request).closePage),
		},
		{
			Name: "navigate_page", Title: "Navigate", Category: Navigation,
			Description: "Goes to an address, back, forward, or reloads, and waits for the page to load.",
			Effect:      Acts, OpenWorld: true, run: with((*Request).navigatePage),
		},
		{
			Name: "wait_for", Title: "Wait", Category: Navigation,
			Description: "Waits until the page shows one of these texts, no longer shows others, or is at an " +
				"address. Default timeout: 30 s.",
			Effect: Reads, OpenWorld: true, run: onPage((*Request).waitFor),
			earlier: schema.OneAsList("text", "text"),
		},
	}
}

func inputTools() []Tool {
	return []Tool{
		{
			Name: "click", Title: "Click", Category: Input,
			Description: "Clicks an element, once it is visible, still, enabled and not covered. x, y: px from its top left.",
			Effect:      Acts, OpenWorld: true, run: acting((*Request).click),
		},
		{
			Name: "hover", Title: "Hover", Category: Input,
			Description: "Moves the mouse over an element.",
			Effect:      Acts, OpenWorld: true, run: acting((*Request).hover),
		},
		{
			Name: "drag", Title: "Drag", Category: Input,
			Description: "Drags an element onto another, to x, y in it, or without to_uid by x, y px. With text, " +
				"selects that text in from_uid.",
			Effect: Acts, OpenWorld: true, run: acting((*Request).drag),
		},
		{
			Name: "fill", Title: "Fill a field", Category: Input,
			Description: `Sets what a field holds: text, a select's option or options (an array), "true" or "false" for a ` +
				`box, date, time, color, range.`,
			Effect: Acts, Idempotent: true, OpenWorld: true, run: acting((*Request).fill),
		},
		{
			Name: "fill_form", Title: "Fill a form", Category: Input,
			Description: "Fills several fields, also if some of them fail.",
			Effect:      Acts, Idempotent: true, OpenWorld: true, run: acting((*Request).fillForm),
		},
		{
			Name: "press_key", Title: "Press a key", Category: Input,
			Description: "Presses a key or combination, such as Enter, Control+A or Control++, where the focus is, " +
				"or on an element.",
			Effect: Acts, OpenWorld: true, run: acting((*Request).pressKey),
		},
		{
			Name: "upload_file", Title: "Upload files", Category: Input,
			Description: "Gives files to a file field, or to the dialog that a button opens.",
			Effect:      Acts, OpenWorld: true, run: acting((*Request).uploadFile),
			earlier: schema.OneAsList("filePath", "filePaths"),
		},
		{
			Name: "handle_dialog", Title: "Answer a dialog", Category: Input,
			Description: "Answers the alert, confirm, prompt or beforeunload dialog that is open.",
			Effect:      Acts, OpenWorld: true, run: with((*Request).handleDialog),
		},
	}
}

func emulationTools() []Tool {
	return []Tool{
		{
			Name: "emulate", Title: "Emulate a device", Category: Emulation,
			Description: `Has a page see other conditions, until changed again. What is left out is reset, but for ` +
				`extraHttpHeaders.`,
			Effect: Chooses, Idempotent: true, run: with((*Request).emulate), earlier: schema.Emulated,
		},
		{
			Name: "resize_page", Title: "Resize a page", Category: Emulation,
			Description: "Gives a page's content this size in CSS pixels, without changing its window.",
			Effect:      Chooses, Idempotent: true, run: with((*Request).resizePage),
		},
	}
}

func performanceTools() []Tool {
	return []Tool{
		{
			Name: "performance_start_trace", Title: "Start a performance trace", Category: Performance,
			Description: "Records how a page loads or runs: web vitals and insights. One trace at a time.",
			Effect:      Acts, OpenWorld: true, run: with((*Request).startTrace),
		},
		{
			Name: "performance_stop_trace", Title: "Stop the performance trace", Category: Performance,
			Description: "Ends the trace, with its results.",
			Effect:      Chooses, OpenWorld: true, run: with((*Request).stopTrace),
		},
		{
			Name: "performance_analyze_insight", Title: "Analyze a performance insight", Category: Performance,
			Description: "Details of one insight, such as LCPBreakdown.",
			Effect:      Reads, OpenWorld: true, run: onPage((*Request).analyzeInsight),
		},
	}
}

func networkTools() []Tool {
	return []Tool{
		{
			Name: "list_network_requests", Title: "List network requests", Category: Network,
			Description: "Lists the page's requests since its document began.",
			Effect:      Reads, OpenWorld: true, run: onPage((*Request).listNetworkRequests),
		},
		{
			Name: "get_network_request", Title: "Get a network request", Category: Network,
			Description: "Headers (secrets left out), timing and bodies of one request.",
			Effect:      Chooses, Idempotent: true, OpenWorld: true, run: onPage((*Request).getNetworkRequest),
		},
	}
}

func debuggingTools() []Tool {
	return []Tool{
		{
			Name: "take_snapshot", Title: "Take a snapshot", Category: Debugging,
			Description: "Shows the page as text, with uids for other tools. Prefer it to screenshots.",
			Effect:      Reads, OpenWorld: true, run: onPage((*Request).takeSnapshot),
		},
		{
			Name: "take_screenshot", Title: "Take a screenshot", Category: Debugging,
			Description: "Takes a picture of the viewport, of one element, or of the full page.",
			Effect:      Reads, OpenWorld: true, run: with((*Request).takeScreenshot),
		},
		{
			Name: "evaluate_script", Title: "Run JavaScript", Category: Debugging,
			Description: "Runs a JavaScript function in the page and gives what it returns, as JSON.",
			Effect:      Acts, OpenWorld: true, run: with((*Request).evaluateScript), earlier: schema.UIDsAsTexts("args"),
		},
		{
			Name: "list_console_messages", Title: "List console messages", Category: Debugging,
			Description: "Lists the page's console messages, uncaught errors and issues since its document began.",
			Effect:      Reads, OpenWorld: true, run: with((*Request).listConsoleMessages),
		},
		{
			Name: "get_console_message", Title: "Get a console message", Category: Debugging,
			Description: "One message with its arguments and stack.",
			Effect:      Reads, OpenWorld: true, run: onPage((*Request).getConsoleMessage),
		},
	}
}
