// What the user has set for agents, as the hub says it, and what the popup and the badge show of that. Pure.

/** The site of a document as permissions and pauses name it: its origin, or "" for what is no web page of a site. */
export function siteOf(origin, url) {
  try {
    return /^https?:\/\//.test(origin ?? new URL(url).origin) ? (origin ?? new URL(url).origin) : "";
  } catch {
    return "";
  }
}

/** Whether agents are paused in a tab. agents is the hub's agentStatus, undefined where it says none. */
export const isPaused = (agents, { id, site }) =>
  Boolean(agents) && (agents.paused || agents.pausedOrigins.includes(site) || agents.pausedTabs.includes(id));

const COLORS = { paused: "#b3261e", acting: "#1a56c4", tools: "#5f6368" };

/** The badge of a tab: {text, color, title}. While nothing is connected, tab has no badge. */
export function badge({ connected, agents, tab }) {
  if (!connected) return { text: "", color: COLORS.tools, title: "WebMCP Hub: not connected" };
  const tools = tab.tools.length;
  const count = tools > 999 ? "999+" : tools ? String(tools) : "";
  const title = `WebMCP Hub: ${tools} tool${tools === 1 ? "" : "s"}`;
  if (isPaused(agents, tab)) return { text: "❚❚", color: COLORS.paused, title: `${title}. Agents are paused` };
  if (tab.acting) return { text: count || "●", color: COLORS.acting, title: `${title}. An agent acts here` };
  return { text: count, color: COLORS.tools, title };
}

/** Returns show(tabs with badges), which has set(badges) set those that Chrome doesn't show yet. Chrome forgets a tab's badge with its document. */
export function badges(set) {
  let shown = new Map(); // tab id -> what was set
  return function show(tabs) {
    const now = new Map(tabs.map(({ id, doc, badge }) => [id, JSON.stringify([doc, badge])]));
    const changed = tabs.filter(({ id }) => shown.get(id) !== now.get(id));
    shown = now;
    if (changed.length) set(changed.map(({ id, badge }) => ({ tabId: id, ...badge })));
  };
}

/** What the popup says: {paused: a sentence or "", all, here: whether agents are paused everywhere, on the tab's site, permission}. */
export function siteTexts(agents, tab) {
  const site = tab?.site ?? "";
  const here = Boolean(site) && agents.pausedOrigins.includes(site);
  let paused = "";
  if (agents.paused) paused = "All agents are paused.";
  else if (here) paused = "Agents are paused on this site.";
  else if (tab && agents.pausedTabs.includes(tab.id)) paused = "Agents are paused in this tab, on the hub's live page.";
  return { paused, all: agents.paused, here, permission: (site && agents.permissions[site]) || "default" };
}
