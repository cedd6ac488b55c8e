// Who has sent a message within the extension.

/** Whether it is one of the extension's own pages or its worker; content scripts are not, for they live beside pages. */
export function fromOurselves(sender) {
  return sender.id === chrome.runtime.id && (sender.url ?? sender.origin ?? "").startsWith(new URL(chrome.runtime.getURL("")).origin);
}
