// What the popup says about each state of the link, and what the user can do about it. Pure.

const texts = {
  unpaired: () => ["Not paired", "Run “webmcp-hub extension pair” in a terminal and enter the token that it prints."],
  connecting: () => ["Connecting…", ""],
  connected: ({ port }) => ["Connected", `to the hub on port ${port}`],
  unreachable: ({ port }) => ["The hub is not running",
    `Nothing answers on port ${port} of this computer. Start the hub with “webmcp-hub --extension” (or your MCP client, which starts it); this connects by itself. If it runs, see that its port is the same and that it allows this extension.`],
  "wrong-token": ({ port }) => ["Wrong token",
    `What answers on port ${port} does not have this pairing token. “webmcp-hub extension pair” prints the hub's; enter it here. If you just did, another program has taken the port.`],
  outdated: () => ["Older than the hub", "Replace the extension's folder with “webmcp-hub extension install”, and press its reload button in chrome://extensions."],
  replaced: () => ["Replaced", "Another connection of this browser profile took this one's place. Press “Try again now” to take it back."],
};

/** Returns [headline, help] for a state {status, port}. */
export function statusText(state) {
  return (texts[state.status] ?? (() => ["Starting…", ""]))(state);
}

/** Returns what the popup offers first: "pairing" (the form), "again" (another attempt now), or "" if there is nothing to do. */
export function asksFor({ status }) {
  if (status === "unpaired" || status === "wrong-token") return "pairing";
  return ["unreachable", "replaced", "outdated"].includes(status) ? "again" : "";
}

/** Returns the line above the tabs. */
export function summary(tabs) {
  const tools = tabs.reduce((n, tab) => n + tab.tools.length, 0);
  const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${count(tools, "tool")} in ${count(tabs.length, "tab")}`;
}
