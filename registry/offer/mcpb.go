package offer

// Naming says what tools are called.
type Naming string

const (
	// WebMCPNames are webmcp_{domain}_page{idx}_{tool}.
	WebMCPNames Naming = ""
	// MCPBNames are website_tool_{domain}_tab{id}_{tool}, with the tab's [TabID],
	// and website_tool_{domain}_{tool} for whichever tab has the tool, see [Routed].
	MCPBNames Naming = "mcpb"
)
