document.modelContext.registerTool({ name: 'third', description: 'Third.', inputSchema: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'third ran' }] }) });
