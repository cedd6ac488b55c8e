package automation

import (
	"webmcphub/automation/schema"
)

func emulationTools() []Tool {
	return []Tool{
		{
			Name: "emulate", Title: "Emulate a device", Category: Emulation,
			Description: `Has a page see other conditions, until changed again. What is left out is reset, but for extraHttpHeaders.`,
			Input: schema.Object(
				schema.OneOf("networkConditions", "", "Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G"),
				schema.Field{Name: "cpuThrottlingRate", Schema: `{"type":"number","minimum":1,"maximum":20}`},
				schema.Text("geolocation", "latitude,longitude"), schema.Text("userAgent", ""),
				schema.OneOf("colorScheme", "", "dark", "light", "auto"),
				schema.OneOf("forcedColors", "", "active", "none", "auto"),
				schema.OneOf("prefersContrast", "", "more", "less", "custom", "no-preference", "auto"),
				schema.OneOf("prefersReducedMotion", "", "reduce", "no-preference", "auto"),
				schema.Text("viewport", "WIDTHxHEIGHTxRATIO[,mobile][,touch][,landscape]"),
				schema.Text("extraHttpHeaders", `JSON object; "" clears`), pageID),
			Effect: Chooses, Idempotent: true,
			earlier: schema.Emulated,
			run:     with((*Request).emulate),
		},
		{
			Name: "resize_page", Title: "Resize a page", Category: Emulation,
			Description: "Gives a page's content this size in CSS pixels, without changing its window.",
			Input: schema.Object(schema.Count("width", 1, "").Must(), schema.Count("height", 1, "").Must(),
				pageID),
			Effect: Chooses, Idempotent: true,
			run: with((*Request).resizePage),
		},
	}
}

func performanceTools() []Tool {
	return []Tool{
		{
			Name: "performance_start_trace", Title: "Start a performance trace", Category: Performance,
			Description: "Records how a page loads or runs: web vitals and insights. One trace at a time.",
			Input: schema.Object(schema.YesNo("reload", "Default: true"),
				schema.YesNo("autoStop", "Stop when the page is quiet. Default: true"), schema.YesNo("ignoreCache", ""),
				schema.Text("filePath", "Save the trace: .json or .json.gz"), pageID),
			Effect: Acts, OpenWorld: true,
			run: with((*Request).startTrace),
		},
		{
			Name: "performance_stop_trace", Title: "Stop the performance trace", Category: Performance,
			Description: "Ends the trace, with its results.",
			Input:       schema.Object(schema.Text("filePath", "As in start"), pageID),
			Effect:      Chooses, OpenWorld: true,
			run: with((*Request).stopTrace),
		},
		{
			Name: "performance_analyze_insight", Title: "Analyze a performance insight", Category: Performance,
			Description: "Details of one insight, such as LCPBreakdown.",
			Input: schema.Object(schema.Text("insightSetId", "").Must(), schema.Text("insightName", "").Must(),
				schema.Text("trace", "Default: last"), pageID),
			Effect: Reads, OpenWorld: true,
			run: onPage((*Request).analyzeInsight),
		},
	}
}

func networkTools() []Tool {
	return []Tool{
		{
			Name: "list_network_requests", Title: "List network requests", Category: Network,
			Description: "Lists the page's requests since its document began.",
			Input: schema.Object(schema.Texts("resourceTypes", 0, "document, script, xhr, fetch, image, …"),
				schema.Text("urlContains", ""), schema.Text("method", ""),
				schema.Text("status", "404, 4xx, failed or pending"),
				schema.YesNo("includePreservedRequests", "Also of the last 3 documents"), pageSize, pageIndex, pageID),
			Effect: Reads, OpenWorld: true,
			run: onPage((*Request).listNetworkRequests),
		},
		{
			Name: "get_network_request", Title: "Get a network request", Category: Network,
			Description: "Headers (secrets left out), timing and bodies of one request.",
			Input: schema.Object(schema.Count("reqid", 0, "Else the last"),
				schema.Count("offset", 0, "Where in its body to begin"),
				schema.Text("requestFilePath", "Save the request's body"),
				schema.Text("responseFilePath", "Save the response's body"), pageID),
			Effect: Chooses, Idempotent: true, OpenWorld: true,
			run: onPage((*Request).getNetworkRequest),
		},
	}
}

var (
	pageSize  = schema.Count("pageSize", 1, "")
	pageIndex = schema.Count("pageIdx", 0, "From 0")
)
