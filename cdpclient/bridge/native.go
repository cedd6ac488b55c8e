package bridge

// These functions use native WebMCP by the page's own API. The hub calls them in the bridge's world, where no script
// of the page can interfere.
const (
	// ListTools lists a frame's own native tools.
	ListTools = `async () => {
	const mc = document.modelContext;
	if (!mc || !mc.getTools) return [];
	return (await mc.getTools()).filter(t => t.window === window)
		.map(({name, title, description, inputSchema, annotations}) => ({name, title, description, inputSchema, annotations}));
}`

	// ReadSchemas returns the schemas and titles of a frame's named tools, except of tools without a schema.
	ReadSchemas = `async (names) => {
	const mc = document.modelContext;
	if (!mc || !mc.getTools) return [];
	return (await mc.getTools()).filter(t => t.window === window && t.inputSchema && names.includes(t.name))
		.map(({name, title, inputSchema}) => ({name, title, inputSchema}));
}`

	// ExecuteTool runs a tool of its frame.
	ExecuteTool = `async (name, input) => {
	const tool = {name, description: '', title: '', window, origin: self.origin};
	try {
		return {text: await document.modelContext.executeTool(tool, JSON.parse(input))};
	} catch (e) {
		return {failed: String(e)};
	}
}`
)
