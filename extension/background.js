// The service worker does what only it can do. It keeps no state, so that Chrome may end it at any moment. It makes the offscreen
// document, tells it which tabs have changed (the document then asks for their state), and does what the document asks for.
import * as tabs from "./lib/tabs.js";
import { ensureOffscreen } from "./lib/offscreen-document.js";
import { readConfig } from "./lib/config.js";
import { enterPage, injectEverywhere } from "./lib/inject.js";
import { fromOurselves } from "./lib/sender.js";
import { setLegacyModelContext } from "./lib/legacy.js";
import { canDebug, debugTabs, keepEnded } from "./lib/debugger.js";
import { setRules, showRules } from "./lib/rules.js";
import { badgeColors, setBadges } from "./lib/badges.js";

const debug = debugTabs((m) => chrome.runtime.sendMessage({ to: "link", debugger: m }));

const asks = {
  canDebug,
  debuggerAttach: (m) => void debug.attach(m),
  debuggerCommand: (m) => void debug.command(m),
  debuggerDetach: (m) => void debug.detach(m),
  debuggerDetachAll: () => debug.detachAll(),
  debuggerEnded: keepEnded,
  wake: ensureOffscreen,
  config: readConfig,
  tabs: tabs.describeAll,
  tab: ({ tabId }) => tabs.describe(tabId),
  state: ({ tabId }) => tabs.state(tabId),
  open: tabs.open,
  focus: tabs.focus,
  close: tabs.close,
  legacy: setLegacyModelContext,
  rules: setRules,
  enter: (m, sender) => enterPage(sender),
  badges: setBadges,
};
const FRAMES_ASK = ["wake", "enter"]; // content scripts run in pages: allow them no more

chrome.runtime.onMessage.addListener((m, sender, reply) => {
  if (m?.to !== "worker" || sender.id !== chrome.runtime.id || !Object.hasOwn(asks, m.ask)) return false;
  if (!FRAMES_ASK.includes(m.ask) && !fromOurselves(sender)) return false;
  Promise.resolve().then(() => asks[m.ask](m, sender)).then((value) => reply({ value }), (e) => reply({ error: e.message }));
  return true;
});

/** Sends a message to the offscreen document. If there is none, makes it; it learns everything when it starts. */
const tell = (m) => chrome.runtime.sendMessage({ to: "link", ...m }).catch(() => ensureOffscreen());

const { onCreated, onUpdated, onRemoved, onActivated, onReplaced, onAttached } = chrome.tabs;
onCreated.addListener((tab) => tell({ changed: tab.id }));
onUpdated.addListener((id, change) => (change.status || change.url || change.title) && tell({ changed: id }));
onAttached.addListener((id) => tell({ changed: id }));
onRemoved.addListener((id) => tell({ gone: id }));
onReplaced.addListener((added, removed) => (tell({ gone: removed }), tell({ changed: added })));
onActivated.addListener(({ tabId }) => tell({ focused: tabId }));
chrome.webNavigation.onCommitted.addListener(({ tabId, frameId }) => frameId === 0 && tell({ changed: tabId }));
chrome.webNavigation.onErrorOccurred.addListener(({ tabId, frameId, documentId, error }) => {
  const aborted = error === "net::ERR_ABORTED" ? { tabId, frameId } : undefined;
  if (frameId === 0) tell({ changed: tabId, failed: { doc: documentId, error }, aborted });
  else if (aborted) tell({ aborted });
});
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, sourceFrameId, tabId, url }) => tell({ opened: { tabId: sourceTabId, frameId: sourceFrameId, url, opened: tabId } }));
chrome.windows.onFocusChanged.addListener(async (windowId) => {
  if (windowId === chrome.windows.WINDOW_ID_NONE) return;
  const [tab] = await chrome.tabs.query({ active: true, windowId });
  if (tab) tell({ focused: tab.id });
});
chrome.storage.local.onChanged.addListener(async (changes) => {
  if (changes.rules) showRules();
  if (changes.token || changes.port) tell({ config: await readConfig() });
});

chrome.runtime.onStartup.addListener(ensureOffscreen);
chrome.runtime.onInstalled.addListener(async () => {
  await ensureOffscreen();
  await injectEverywhere();
});
badgeColors();
showRules();
ensureOffscreen();
