// The official TypeScript client of protocol 2026-07-28 against the hub: it calls one
// tool, answers what the page asks meanwhile, and prints what came of it.
// Arguments: the tool, its arguments, then the hub's command line, or its URL and token.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [tool, json, command, ...args] = process.argv.slice(2);
const asked = [];
const client = new Client({ name: 'e2e-rounds', version: '1.0.0' }, {
  capabilities: { elicitation: {} },
  versionNegotiation: { mode: { pin: '2026-07-28' } },
});
client.setRequestHandler('elicitation/create', async request => {
  asked.push(request.params.message);
  return { action: 'accept', content: { username: 'zoe', email: 'zoe@example.com' } };
});
await client.connect(URL.canParse(command)
  ? new StreamableHTTPClientTransport(new URL(command), { requestInit: { headers: { Authorization: `Bearer ${args[0]}` } } })
  : new StdioClientTransport({ command, args, stderr: 'inherit' }));
for (;;) { // the hub may still be finding the tab
  const { tools } = await client.listTools();
  if (tools.some(({ name }) => name.startsWith(tool))) break;
}
const result = await client.callTool({ name: tool, arguments: JSON.parse(json) });
process.stdout.write(JSON.stringify({ asked, result }) + '\n');
await client.close();
