// Writes down what the hub's rules for origins are, for the content scripts to read (content/rules.js) and for the next start of
// the browser, when pages come before the hub does. For the service worker, at each of its starts.

const OPEN = {}; // permits everything

/** Lets content scripts read the rules and nothing else of what is stored, neither the token nor the port. */
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

/** Shows content scripts the rules of the last hub. */
export const showRules = () => next(show);

/** rules: {allow, deny}, or undefined for none. Resolves when content scripts that look see them. */
export function setRules({ rules = OPEN }) {
  return next(async () => {
    await chrome.storage.local.set({ rules });
    await show();
  });
}
