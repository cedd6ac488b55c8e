const there = chrome.offscreen.createDocument({ url: "offscreen.html", reasons: ["WORKERS"], justification: "Holds a socket." });
chrome.runtime.onMessage.addListener((m, sender, reply) => (there.then(() => reply()), true)); // a page waits for it
