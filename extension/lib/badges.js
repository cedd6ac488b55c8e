// Sets the badge of the extension's icon in tabs. For the service worker.

/** badges: [{tabId, text, color, title}]. */
export async function setBadges({ badges }) {
  const { action } = chrome;
  await Promise.all(badges.flatMap(({ tabId, text, color, title }) => [
    action.setBadgeText({ tabId, text }), action.setBadgeBackgroundColor({ tabId, color }),
    action.setBadgeTextColor({ tabId, color: "#ffffff" }), action.setTitle({ tabId, title }),
  ]).map((set) => set.catch(() => {}))); // the tab may be gone
}
