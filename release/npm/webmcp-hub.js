#!/usr/bin/env node
// Starts the webmcp-hub that npm has installed for this platform.
const { platform, arch, argv } = process;
const pkg = `${require('./package.json').name}-${platform}-${arch}`;
let hub;
try {
  hub = require.resolve(`${pkg}/bin/webmcp-hub${platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`webmcp-hub: the package ${pkg} is not installed. Either there is none for this platform, or npm was ` +
    'told to leave out optional dependencies: install again without --omit=optional.');
  process.exit(1);
}
if (process.execve && platform !== 'win32') {
  process.execve(hub, [hub, ...argv.slice(2)], process.env); // becomes the hub: Node is gone from here on
}
const child = require('child_process').spawn(hub, argv.slice(2), { stdio: 'inherit' });
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on('error', (err) => { console.error(`webmcp-hub: ${err.message}`); process.exit(1); });
child.on('exit', (code, signal) => {
  for (const s of signals) process.removeAllListeners(s);
  signal ? process.kill(process.pid, signal) : process.exit(code);
});
