// The user's settings and the id of this browser profile, in chrome.storage.local. For the service worker and the popup.
import { DEFAULT_PORT } from "./protocol.js";

/** Resolves with {token, port, instance}. The first call makes the instance, which never changes. */
export async function readConfig() {
  let stored = await get();
  // Reads again then, because the user may have changed the settings meanwhile.
  if (!stored.instance) stored = { instance: await makeInstance(), ...(await get()) };
  const { token = "", port = DEFAULT_PORT, instance } = stored;
  return { token, port, instance };
}

const get = () => chrome.storage.local.get(["token", "port", "instance"]);

let made; // two first calls at once share it

function makeInstance() {
  return (made ??= (async () => {
    const instance = crypto.randomUUID();
    await chrome.storage.local.set({ instance });
    return instance;
  })());
}
