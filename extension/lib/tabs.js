// chrome.tabs in the hub's words. For the service worker.
import { tabInfo } from "./frames.js";

/** The schemes of addresses that the hub may open. */
const OPENABLE = new Set(["http:", "https:", "file:", "about:"]);

async function info(tab) {
  const frame = await chrome.webNavigation.getFrame({ tabId: tab.id, frameId: 0 }).catch(() => null);
  return tabInfo(tab, frame?.documentId ?? "");
}

/** The tab as it is now, or undefined if there is none. */
export async function describe(tabId) {
  const tab = await chrome.tabs.get(tabId).catch(() => undefined);
  return tab && info(tab);
}

export async function describeAll() {
  return Promise.all((await chrome.tabs.query({})).filter((tab) => tab.id > 0).map(info));
}

/** Opens a tab; resolves with its id. */
export async function open({ url, focus }) {
  let parsed;
  try {
    parsed = new URL(url);
  } catch {
    throw new Error(`not an address: ${url}`);
  }
  if (!OPENABLE.has(parsed.protocol)) throw new Error(`addresses that begin with ${parsed.protocol} are not opened`);
  const windows = await chrome.windows.getAll({ windowTypes: ["normal"] });
  if (!windows.length) return (await chrome.windows.create({ url: parsed.href, focused: focus })).tabs[0].id;
  const tab = await chrome.tabs.create({ url: parsed.href, active: focus });
  if (focus) await front(tab.windowId);
  return tab.id;
}

/** Brings a tab to the front of its window, and that to the front. */
export async function focus({ tabId }) {
  const tab = await chrome.tabs.update(tabId, { active: true }).catch(() => undefined);
  if (!tab) throw new Error(`there is no tab ${tabId}`);
  await front(tab.windowId);
  return tabId;
}

const front = (windowId) => chrome.windows.update(windowId, { focused: true }).catch(() => {});

export async function close({ tabId }) {
  await chrome.tabs.remove(tabId).catch(() => {
    throw new Error(`there is no tab ${tabId}`);
  });
  return tabId;
}
