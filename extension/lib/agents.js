// What the user has set for agents, as the hub says it, and what the popup and the badge show of that. Pure.

/**
 * The site of a document as permissions and pauses name it: its origin, without a dot at the host's end, or "" for what is no web page of a
 * site.
 */
export function siteOf(origin, url) {
  try {
    const at = origin && origin !== "null" ? origin : new URL(url).origin; // a sandboxed document counts as its address
    return /^https?:\/\//.test(at) ? at.replace(/\.(?=:\d+$|$)/, "") : "";
  } catch {
    return "";
  }
}

/** Whether agents are paused in a tab. agents is the hub's agentStatus, undefined where it says none. */
export const isPaused = (agents, { id, site }) =>
  Boolean(agents) && (agents.paused || agents.pausedOrigins.includes(site) || agents.pausedTabs.includes(id));

/** The colors of badges; that of tools is what the worker sets for all tabs. */
export const COLORS = { paused: "#b3261e", acting: "#1a56c4", tools: "#5f6368" };

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

/**
 * Returns show(tabs with badges), which has set(badges) set what Chrome doesn't show yet, and nothing more: it takes the worker's time.
 * Chrome forgets a tab's badge with its document; then the tab has none, in the color of tools. Of a tab that is shown for the first
 * time nothing is known: an earlier offscreen document may have died and left its badge.
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
 * What the popup says of a tab and of the site that it is for: {paused: a sentence or "", all, here: whether agents are paused everywhere,
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
