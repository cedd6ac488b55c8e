// The official TypeScript SDK's client against the hub, told what to do by the Go
// test: one JSON command a line on stdin, one JSON answer a line on stdout.
// Arguments: the hub's command line, or its URL and token.
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: 'e2e-typescript', version: '1.0.0' });

// changes holds a waiter or a change that nobody has waited for.
let changed = false;
let waiter = null;
client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
  changed = true;
  waiter?.();
});
client.onerror = error => console.error('client:', error);

// listUntil lists after each list_changed until the named tools are all there,
// or, with gone, all away.
async function listUntil({ names, gone = false }) {
  for (;;) {
    changed = false;
    const { tools } = await client.listTools();
    const there = names.filter(name => tools.some(tool => tool.name === name));
    if (there.length === (gone ? 0 : names.length)) return tools;
    if (!changed) await new Promise(resolve => { waiter = resolve; });
    waiter = null;
  }
}

const controllers = new Map();
const commands = {
  server: async () => ({ ...client.getServerVersion(), capabilities: client.getServerCapabilities() }),
  listUntil,
  call: async ({ name, args }) => client.callTool({ name, arguments: args }),
  // A call that the test ends by cancel, with the same key.
  callUntilCancelled: async ({ key, name, args }) => {
    const controller = new AbortController();
    controllers.set(key, controller);
    client.callTool({ name, arguments: args }, undefined, { signal: controller.signal })
      .then(() => {}, () => {});
  },
  cancel: async ({ key }) => controllers.get(key).abort('changed my mind'),
  // A call of which the first progress notification is enough.
  callUntilProgress: async ({ name, args }) => {
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      client.callTool({ name, arguments: args }, undefined, {
        signal: controller.signal,
        onprogress: progress => { resolve(progress); controller.abort(); },
        resetTimeoutOnProgress: true,
      }).catch(reject);
    });
  },
  ping: async () => client.ping(),
};

await client.connect(URL.canParse(command)
  ? new StreamableHTTPClientTransport(new URL(command), { requestInit: { headers: { Authorization: `Bearer ${args[0]}` } } })
  : new StdioClientTransport({ command, args, stderr: 'inherit' }));
for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...params } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await commands[command](params)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
}
await client.transport.terminateSession?.();
await client.close();
