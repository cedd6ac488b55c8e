package automation

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
