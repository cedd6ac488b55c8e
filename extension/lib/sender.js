// Checks who sent a message within the extension.

/** Returns whether the sender is one of the extension's own pages or its worker, not a content script, which runs in a page. */
export function fromOurselves(sender) {
  return sender.id === chrome.runtime.id && (sender.url ?? sender.origin ?? "").startsWith(new URL(chrome.runtime.getURL("")).origin);
}
