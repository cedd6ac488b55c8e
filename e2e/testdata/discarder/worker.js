// The test calls this by its debugging connection: pages can't discard tabs.
const find = async part => (await chrome.tabs.query({})).find(({ url }) => url.includes(part)).id;
globalThis.discard = async part => (await chrome.tabs.discard(await find(part)))?.discarded;
globalThis.activate = async part => { await chrome.tabs.update(await find(part), { active: true }); };
