// Puts the content scripts into pages that were open before the extension was installed or reloaded; Chrome runs them by
// itself only in pages that load later. For the service worker.
import { polyfillPage } from "../shared/polyfill-page.js";

/** Injects the scripts into every tab, but skips tabs that no script may enter. Resolves when it has tried all. */
export async function injectEverywhere() {
  const scripts = chrome.runtime.getManifest().content_scripts;
  const tabs = await chrome.tabs.query({});
  await Promise.all(tabs.filter((tab) => tab.id > 0 && !tab.discarded).map((tab) => inject(tab.id, scripts)));
}

async function inject(tabId, scripts) {
  for (const { js } of scripts) {
    try {
      await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, files: js, injectImmediately: true });
    } catch {} // a page of Chrome's own, or one that is gone
  }
}

/**
 * Runs polyfillPage among the page's scripts, in the document that asks for it: Chrome fills in sender, so a document can ask
 * only for itself. The manifest can't inject it, because it must not run in documents that the hub's rules forbid.
 */
export async function enterPage({ tab, documentId }) {
  await chrome.scripting.executeScript({
    target: { tabId: tab.id, documentIds: [documentId] }, func: polyfillPage, args: [`webmcp-hub-${chrome.runtime.id}`, { older: true }],
    world: "MAIN", injectImmediately: true,
  });
}
