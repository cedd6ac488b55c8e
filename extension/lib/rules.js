// Stores the hub's rules for origins, for the content scripts (content/rules.js) and for the browser's next start, when pages
// load before the hub connects. For the service worker, at each of its starts.

const OPEN = {}; // permits everything

/** Lets content scripts read the rules, but nothing else in the storage, such as the token and the port. */
async function restrict() {
  await chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });
  await chrome.storage.session.setAccessLevel({ accessLevel: "TRUSTED_AND_UNTRUSTED_CONTEXTS" });
}

let last = restrict(); // one thing at a time, in order
const next = (f) => (last = last.catch(() => {}).then(f));

const show = async () => {
  const [{ rules = OPEN }, shown] = await Promise.all([chrome.storage.local.get("rules"), chrome.storage.session.get("rules")]);
  if (JSON.stringify(shown.rules) !== JSON.stringify(rules)) await chrome.storage.session.set({ rules });
};

/** Makes the last hub's rules readable for content scripts. */
export const showRules = () => next(show);

/** Stores rules: {allow, deny}, or undefined for none. Resolves when content scripts can read them. */
export function setRules({ rules = OPEN }) {
  return next(async () => {
    await chrome.storage.local.set({ rules });
    await show();
  });
}
