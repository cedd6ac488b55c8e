package automation

func performanceTools() []Tool {
	return []Tool{
		{
			Name: "performance_start_trace", Title: "Start a performance trace", Category: Performance,
			Description: "Records how a page loads or runs: Core Web Vitals and insights. One trace a browser at a time.",
			Input: input(yesno("reload", "Default: true"), yesno("autoStop", "Stop when the page is quiet. Default: true"), yesno("ignoreCache", ""),
				text("filePath", "Save the trace: .json or .json.gz"), pageID),
			Effect: Acts, OpenWorld: true,
		},
		{
			Name: "performance_stop_trace", Title: "Stop the performance trace", Category: Performance,
			Description: "Ends the trace and gives its results.",
			Input:       input(text("filePath", "Save the trace: .json or .json.gz"), pageID),
			Effect:      Chooses, OpenWorld: true,
		},
		{
			Name: "performance_analyze_insight", Title: "Analyze a performance insight", Category: Performance,
			Description: "Details of one insight, such as LCPBreakdown, from a trace's results.",
			Input:       input(text("insightSetId", "").must(), text("insightName", "").must(), pageID),
			Effect:      Reads, OpenWorld: true,
		},
	}
}
