// Registers shared/legacy-name.js for pages, or unregisters it. For the service worker.

const ID = "legacy-modelcontext";

let last = Promise.resolve(); // one change at a time, in order

/** pages: {matches, excludeMatches}, Chrome's match patterns; undefined: no pages. ruled: whether there are rules for origins. */
export function setLegacyModelContext({ pages, ruled }) {
  return (last = last.catch(() => {}).then(() => set(pages, ruled)));
}

async function set(pages, ruled) {
  const there = await chrome.scripting.getRegisteredContentScripts({ ids: [ID] });
  if (there.length) await chrome.scripting.unregisterContentScripts({ ids: [ID] });
  if (!pages?.matches?.length) return;
  await chrome.scripting.registerContentScripts([{
    id: ID, js: [...(ruled ? ["content/legacy-near.js"] : []), "shared/legacy-name.js"], world: "MAIN", runAt: "document_start", allFrames: true, matchOriginAsFallback: true,
    persistAcrossSessions: false, matches: pages.matches, excludeMatches: pages.excludeMatches ?? [],
  }]);
}
