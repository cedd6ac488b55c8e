package release

// makeServerJSON writes server.json, which tells the MCP Registry by which packages a client can install the hub.
func (r release) makeServerJSON(bundles []bundle) error {
	stdio := map[string]string{"type": "stdio"}
	packages := []any{map[string]any{
		"registryType": "npm", "identifier": r.NPM, "version": r.version, "runtimeHint": "npx", "transport": stdio,
	}}
	for _, b := range bundles {
		packages = append(packages, map[string]any{
			"registryType": "mcpb", "identifier": r.download(r.version, b.name), "fileSha256": b.sha,
			"version": r.version, "transport": stdio,
		})
	}
	return r.write("server.json", encode(map[string]any{
		"$schema":     "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":        r.Registry,
		"title":       "WebMCP Hub",
		"description": description,
		"version":     r.version,
		"websiteUrl":  r.Homepage,
		"repository":  map[string]string{"url": r.Homepage, "source": "github"},
		"packages":    packages,
	}))
}
