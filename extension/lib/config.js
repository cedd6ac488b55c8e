// What the user has set, and which browser profile this is; in chrome.storage.local. For the service worker.
import { DEFAULT_PORT } from "./protocol.js";

/** {token, port, instance}. The instance is made at the first call and never changes. */
export async function readConfig() {
  let stored = await get();
  // Read again then, for what is answered late would undo what the user has set meanwhile.
  if (!stored.instance) stored = { instance: await makeInstance(), ...(await get()) };
  const { token = "", port = DEFAULT_PORT, instance } = stored;
  return { token, port, instance };
}

const get = () => chrome.storage.local.get(["token", "port", "instance"]);

let made; // two first calls at a time get the same

function makeInstance() {
  return (made ??= (async () => {
    const instance = crypto.randomUUID();
    await chrome.storage.local.set({ instance });
    return instance;
  })());
}
