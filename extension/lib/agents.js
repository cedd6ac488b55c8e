// The user's settings for agents, as the hub reports them, and what the popup and the badge show of them. Pure.

/**
 * Returns the site of a document as permissions and pauses name it: its origin, without a dot at the host's end, or "" if the
 * document is no web page.
 */
export function siteOf(origin, url) {
  try {
    const at = origin && origin !== "null" ? origin : new URL(url).origin; // a sandboxed document counts as its address
    return /^https?:\/\//.test(at) ? at.replace(/\.(?=:\d+$|$)/, "") : "";
  } catch {
    return "";
  }
}

/** Returns whether agents are paused in a tab. agents is the hub's agentStatus, or undefined if the hub sent none. */
export const isPaused = (agents, { id, site }) =>
  Boolean(agents) && (agents.paused || agents.pausedOrigins.includes(site) || agents.pausedTabs.includes(id));

/** The colors of badges. The worker sets the color of tools as the default of all tabs. */
export const COLORS = { paused: "#b3261e", acting: "#1a56c4", tools: "#5f6368" };

/** Returns a tab's badge: {text, color, title}. If the hub isn't connected, the badge has no text, and tab isn't needed. */
export function badge({ connected, agents, tab }) {
  if (!connected) return { text: "", color: COLORS.tools, title: "WebMCP Hub: not connected" };
  const tools = tab.tools.length;
  const count = tools > 999 ? "999+" : tools ? String(tools) : "";
  const title = `WebMCP Hub: ${tools} tool${tools === 1 ? "" : "s"}`;
  if (isPaused(agents, tab)) return { text: "❚❚", color: COLORS.paused, title: `${title}. Agents are paused` };
  if (tab.acting) return { text: count || "●", color: COLORS.acting, title: `${title}. An agent acts here` };
  return { text: count, color: COLORS.tools, title };
}

/**
 * Returns show(tabs with badges), which calls set(badges) with only what Chrome doesn't show yet, to spare the worker. Chrome
 * drops a tab's badge with its document; then the tab has no text, in the color of tools. When show gets a tab for the first
 * time, it doesn't know the tab's badge: an earlier offscreen document may have left one.
 */
export function badges(set) {
  let shown = new Map(); // tab id -> {doc, badge}
  return function show(tabs) {
    const changed = [];
    for (const { id, doc, badge } of tabs) {
      const known = shown.get(id);
      const before = !known ? {} : known.doc === doc ? known.badge : { text: "", color: COLORS.tools };
      const differs = Object.entries(badge).filter(([what, is]) => before[what] !== is);
      if (differs.length) changed.push({ tabId: id, ...Object.fromEntries(differs) });
    }
    shown = new Map(tabs.map(({ id, doc, badge }) => [id, { doc, badge }]));
    if (changed.length) set(changed);
  };
}

/**
 * Returns what the popup shows of a tab and of site: {paused: a sentence or "", all, here: whether agents are paused everywhere,
 * on the site, permission, moved: whether the tab no longer shows that site}.
 */
export function siteTexts(agents, tab, site) {
  const here = Boolean(site) && agents.pausedOrigins.includes(site);
  let paused = "";
  if (agents.paused) paused = "All agents are paused.";
  else if (here) paused = "Agents are paused on this site.";
  else if (tab && agents.pausedTabs.includes(tab.id)) paused = "Agents are paused in this tab, on the hub's live page.";
  return { paused, all: agents.paused, here, permission: (site && agents.permissions[site]) || "default", moved: site !== (tab?.site ?? "") };
}
