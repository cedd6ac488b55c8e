// Wraps chrome.tabs for the hub's orders and questions. For the service worker.
import { tabInfo } from "./frames.js";

/** The schemes of addresses that the hub may open. */
const OPENABLE = new Set(["http:", "https:", "file:", "about:"]);

/** Resolves with the main frame's document, and whether that is an error page. */
async function documentOf(tabId) {
  const frame = await chrome.webNavigation.getFrame({ tabId, frameId: 0 }).catch(() => null);
  return { doc: frame?.documentId ?? "", failed: frame?.errorOccurred === true };
}

/** Resolves with the tab (address and document are of the same moment; failed on an error page), or undefined without one. */
export async function describe(tabId) {
  for (let { doc } = await documentOf(tabId); ;) {
    const tab = await chrome.tabs.get(tabId).catch(() => undefined);
    const after = await documentOf(tabId);
    if (!tab) return undefined;
    if (after.doc === doc) return after.failed ? { ...tabInfo(tab, doc), failed: true } : tabInfo(tab, doc);
    doc = after.doc; // it navigated in between
  }
}

/** Resolves with a tab's current {doc, url, loading}, or undefined if there is no such tab. */
export async function state(tabId) {
  const [info, tab] = await Promise.all([describe(tabId), chrome.tabs.get(tabId).catch(() => undefined)]);
  return info && tab && { doc: info.doc, url: info.url, loading: tab.status === "loading" };
}

export async function describeAll() {
  const tabs = (await chrome.tabs.query({})).filter((tab) => tab.id > 0);
  return (await Promise.all(tabs.map(({ id }) => describe(id)))).filter((info) => info);
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

/** Brings a tab to the front of its window, and the window to the front. */
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
