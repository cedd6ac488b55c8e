// Keeps the model's tabs up to date by asking the worker. Answers and events can overtake each other, so an answer counts only if
// nothing happened meanwhile that it may have missed: a newer document's port, a tab's end, or, if the answer is about all tabs, an
// answer about a single one.
import { onceMore } from "./once-more.js";

/**
 * Returns {refresh(id), refreshAll(), gone(id)}. describe(id) resolves with a tab's TabInfo, or undefined if the tab is gone;
 * describeAll() with those of all tabs; arrivals(id) counts the main documents that have opened a port, in one tab or, without
 * id, in all. refresh resolves with the TabInfo that the model has then.
 */
export function tabTruth({ model, arrivals, describe, describeAll, report = () => {} }) {
  let departures = 0; // tabs that are gone
  let refreshes = 0; // answers about a single tab
  const stamp = (id) => `${arrivals(id)} ${departures}`;
  const stampAll = () => `${stamp()} ${refreshes}`;

  const refresh = onceMore(async (id) => {
    for (;;) {
      const before = stamp(id);
      const info = await describe(id);
      if (stamp(id) !== before) continue;
      refreshes++;
      if (info) model.tabIs(info);
      else model.tabGone(id);
      return info;
    }
  });

  const all = onceMore(async () => {
    for (;;) {
      const gone = departures;
      const before = stampAll();
      const infos = await describeAll();
      if (departures !== gone) continue;
      const moved = stampAll() !== before;
      model.allTabs(infos.map((info) => (moved && model.tab(info.id)) || info));
      if (moved) for (const { id } of infos) refresh(id).catch(report);
      return;
    }
  });

  return {
    refresh,
    refreshAll: () => all(""),
    gone(id) {
      departures++;
      model.tabGone(id);
    },
  };
}
