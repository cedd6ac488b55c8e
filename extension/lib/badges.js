// Sets the badge of the extension's icon in tabs. For the service worker.
import { COLORS } from "./agents.js";

/** badges: [{tabId, text?, color?, title?}]; what a badge leaves out stays as it is. */
export async function setBadges({ badges }) {
  const { action } = chrome;
  await Promise.all(badges.flatMap(({ tabId, text, color, title }) => [
    text !== undefined && action.setBadgeText({ tabId, text }), color !== undefined && action.setBadgeBackgroundColor({ tabId, color }),
    title !== undefined && action.setTitle({ tabId, title }),
  ]).filter(Boolean).map((set) => set.catch(() => {}))); // the tab may be gone
}

/** Sets the default colors of badges. */
export function badgeColors() {
  chrome.action.setBadgeBackgroundColor({ color: COLORS.tools });
  chrome.action.setBadgeTextColor({ color: "#ffffff" });
}
