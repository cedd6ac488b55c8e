package automation

func emulationTools() []Tool {
	return []Tool{
		{
			Name: "emulate", Title: "Emulate a device", Category: Emulation,
			Description: `Has a page see other conditions, until changed again. What is left out is reset, but for extraHttpHeaders.`,
			Input: object(
				oneOf("networkConditions", "", "Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G"),
				field{name: "cpuThrottlingRate", schema: `{"type":"number","minimum":1,"maximum":20}`},
				text("geolocation", "latitude,longitude"), text("userAgent", ""),
				oneOf("colorScheme", "", "dark", "light", "auto"), oneOf("forcedColors", "", "active", "none", "auto"),
				oneOf("prefersContrast", "", "more", "less", "custom", "no-preference", "auto"),
				oneOf("prefersReducedMotion", "", "reduce", "no-preference", "auto"),
				text("viewport", "WIDTHxHEIGHTxRATIO[,mobile][,touch][,landscape]"), text("extraHttpHeaders", `JSON object; "" clears`), pageID),
			Effect: Chooses, Idempotent: true,
			run: (*Request).emulate,
		},
		{
			Name: "resize_page", Title: "Resize a page", Category: Emulation,
			Description: "Gives a page's content this size in CSS pixels, without changing the window of its tab.",
			Input:       object(count("width", 1, "").must(), count("height", 1, "").must(), pageID),
			Effect:      Chooses, Idempotent: true,
			run: (*Request).resizePage,
		},
	}
}

func performanceTools() []Tool {
	return []Tool{
		{
			Name: "performance_start_trace", Title: "Start a performance trace", Category: Performance,
			Description: "Records how a page loads or runs: web vitals and insights. One trace at a time.",
			Input: object(yesno("reload", "Default: true"), yesno("autoStop", "Stop when the page is quiet. Default: true"), yesno("ignoreCache", ""),
				text("filePath", "Save the trace: .json or .json.gz"), pageID),
			Effect: Acts, OpenWorld: true,
			run: (*Request).startTrace,
		},
		{
			Name: "performance_stop_trace", Title: "Stop the performance trace", Category: Performance,
			Description: "Ends the trace, with its results.",
			Input:       object(text("filePath", "As in start"), pageID),
			Effect:      Chooses, OpenWorld: true,
			run: (*Request).stopTrace,
		},
		{
			Name: "performance_analyze_insight", Title: "Analyze a performance insight", Category: Performance,
			Description: "Details of one insight, such as LCPBreakdown.",
			Input:       object(text("insightSetId", "").must(), text("insightName", "").must(), text("trace", "Default: last"), pageID),
			Effect:      Reads, OpenWorld: true,
			run: (*Request).analyzeInsight,
		},
	}
}

func networkTools() []Tool {
	return []Tool{
		{
			Name: "list_network_requests", Title: "List network requests", Category: Network,
			Description: "Lists the page's requests since its document began.",
			Input: object(texts("resourceTypes", 0, "document, script, xhr, fetch, image, …"),
				text("urlContains", ""), text("method", ""), text("status", "404, 4xx, failed or pending"),
				yesno("includePreservedRequests", "Also of the last 3 documents"), pageSize, pageIndex, pageID),
			Effect: Reads, OpenWorld: true,
			run: (*Request).listNetworkRequests,
		},
		{
			Name: "get_network_request", Title: "Get a network request", Category: Network,
			Description: "Headers, timing and bodies of one request.",
			Input: object(count("reqid", 0, "").must(), count("offset", 0, "Where in the response's body to begin"),
				text("requestFilePath", "Save the request's body"), text("responseFilePath", "Save the response's body"), pageID),
			Effect: Chooses, Idempotent: true, OpenWorld: true,
			run: (*Request).getNetworkRequest,
		},
	}
}

var (
	pageSize  = count("pageSize", 1, "")
	pageIndex = count("pageIdx", 0, "From 0")
)
