package automation

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
