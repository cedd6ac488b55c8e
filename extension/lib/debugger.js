// Debugs tabs for the hub with chrome.debugger, if the manifest has that permission. Only the service worker has that API; Chrome
// keeps the worker alive while it debugs. tell sends answers and events, in the order in which Chrome gives them.

/** Returns whether this installation may debug tabs. */
export const canDebug = () => Boolean(chrome.debugger);

/** Resolves with the tabs in which the user has ended debugging; first sets them, if given. Chrome keeps them until it ends. */
export async function keepEnded({ tabs }) {
  if (tabs) await chrome.storage.session.set({ ended: tabs });
  return (await chrome.storage.session.get("ended")).ended ?? [];
}

/** Returns Chrome's reason why it can't debug a tab, with what the user or the agent can do. */
function explained(message, url = "") {
  if (/another debugger/i.test(message)) return "another debugger is attached to this tab; close Chrome's DevTools there, or end the other extension's debugging";
  if (/chrome web store|extensions gallery/i.test(message) || /^https:\/\/(chromewebstore\.google\.com|chrome\.google\.com\/webstore)/.test(url)) return "Chrome lets no extension into the Web Store's pages";
  if (/cannot access|cannot attach/i.test(message)) return `Chrome lets no extension debug this page (${url.split("?")[0] || "no address"}); navigate the tab to an ordinary web page first`;
  return message;
}

/** Returns {code, message} of a failed command. chrome.debugger throws Chrome's error as JSON text, or a sentence. */
function refusal(e) {
  try {
    const { code, message } = JSON.parse(e.message);
    if (Number.isInteger(code) && typeof message === "string") return { code, message };
  } catch {
    // then it is a sentence
  }
  return { code: /not attached|session.*not found/i.test(e.message) ? -32001 : -32000, message: e.message };
}

/** Returns {attach, command, detach, detachAll}; attach and detach take turns. pass(m) sends to the offscreen document or rejects. */
export function debugTabs(pass) {
  if (!canDebug()) return { attach() {}, command() {}, detach() {}, detachAll() {} };
  const tell = async (m) => {
    try {
      await pass(m);
    } catch (e) {
      // Chrome limits messages between an extension's parts to 64 MiB.
      if (/exceeded maximum/i.test(e.message)) await pass({ ...m, result: undefined, params: undefined, tooLong: true }).catch(() => {});
    }
  };
  chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => tabId && tell({ type: "debuggerEvent", tabId, sessionId, method, params }));
  chrome.debugger.onDetach.addListener(({ tabId }, reason) => tabId && tell({ type: "debuggerDetached", tabId, reason }));
  let turn = Promise.resolve();
  const inTurn = (f) => (turn = turn.then(f));
  const detach = (tabId) => chrome.debugger.detach({ tabId }).catch(() => {}); // it may be gone, or another debugger's
  return {
    attach: ({ tabId, attempt }) => inTurn(async () => {
      const reply = { type: "debuggerReply", tabId, id: 0, attempt };
      try {
        const mine = (await chrome.debugger.getTargets()).find((target) => target.tabId === tabId && target.type === "page");
        await chrome.debugger.attach({ tabId }, "1.3");
        reply.result = { targetId: mine?.id ?? "" };
      } catch (e) {
        const { url } = await chrome.tabs.get(tabId).catch(() => ({}));
        reply.error = { code: -32000, message: explained(e.message, url) };
      }
      tell(reply);
    }),
    command({ tabId, id, sessionId, method, params }) {
      const reply = { type: "debuggerReply", tabId, id };
      chrome.debugger.sendCommand(sessionId ? { tabId, sessionId } : { tabId }, method, params ?? {}).then(
        (result) => tell({ ...reply, result: result ?? {} }), (e) => tell({ ...reply, error: refusal(e) }));
    },
    detach: ({ tabId }) => inTurn(() => detach(tabId)),
    /** Detaches from the tabs that an earlier offscreen document left attached. */
    detachAll: () => inTurn(async () => {
      const targets = await chrome.debugger.getTargets().catch(() => []);
      await Promise.all(targets.filter((target) => target.attached && target.tabId).map((target) => detach(target.tabId)));
    }),
  };
}
