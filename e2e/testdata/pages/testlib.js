// What every fixture page shares: one way to add and remove tools on all three
// runtimes, and a record of what happened, which tests can wait for.

// The native API (and @mcp-b/global 5) is on document, @mcp-b/global 2 on navigator.
const modelContext = navigator.modelContext ?? document.modelContext;

// happened(name) resolves with the detail of the first note(name, detail),
// whether that came before or comes later.
const notes = new Map();
function noteFor(name) {
  if (!notes.has(name)) notes.set(name, Promise.withResolvers());
  return notes.get(name);
}
function note(name, detail) { noteFor(name).resolve(detail ?? true); }
function happened(name) { return noteFor(name).promise; }

// addTool registers a tool (only a name is needed) and returns a function that
// removes it, whose property registered is a promise of the registration.
function addTool(tool) {
  tool = {
    description: `the ${tool.name} tool`,
    inputSchema: { type: 'object', properties: {} },
    execute: async () => text(`${tool.name} ran`),
    ...tool,
  };
  const controller = new AbortController();
  const remove = () => modelContext.unregisterTool
    ? modelContext.unregisterTool(tool.name) // @mcp-b/global 2
    : controller.abort();
  remove.registered = Promise.resolve(modelContext.registerTool(tool, { signal: controller.signal }))
    .catch(e => note('refused', `${tool.name}: ${e}`));
  return remove;
}

// text is an MCP result with one text.
function text(s) { return { content: [{ type: 'text', text: String(s) }] }; }
