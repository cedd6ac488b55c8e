package bridge

// What is asked of native WebMCP by the page's own API. The functions are called in
// the bridge's world, where no script of the page can stand between.
const (
	// ListTools lists a frame's own native tools.
	ListTools = `async () => {
	const mc = document.modelContext;
	if (!mc || !mc.getTools) return [];
	return (await mc.getTools()).filter(t => t.window === window)
		.map(({name, title, description, inputSchema, annotations}) => ({name, title, description, inputSchema, annotations}));
}`

	// ReadSchemas gives the schemas that the named tools of a frame have, and the
	// titles of those.
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
