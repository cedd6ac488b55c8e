// Makes the offscreen document, once. For the service worker.

let making; // a promise, while it is being made

export async function ensureOffscreen() {
  return (making ??= make().finally(() => (making = undefined)));
}

async function make() {
  const there = await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT"] });
  if (there.length) return;
  await chrome.offscreen.createDocument({
    url: "offscreen.html",
    reasons: ["WORKERS"],
    justification: "Holds the connection to the WebMCP Hub on this computer, with a worker that keeps its time.",
  });
}
