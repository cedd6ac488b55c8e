// The popup: shows the link's state, the tabs and their tools, and takes the pairing token. Page's words are only ever text.
import { readConfig } from "./lib/config.js";
import { fromOurselves } from "./lib/sender.js";
import { statusText, summary } from "./lib/status-texts.js";

const $ = (id) => document.getElementById(id);

function show(state) {
  const [headline, help] = statusText(state);
  $("status").textContent = headline;
  $("status").dataset.status = state.status;
  $("help").textContent = help;
  $("summary").textContent = summary(state.tabs);
  $("tabs").replaceChildren(...state.tabs.map(tabItem));
}

function tabItem(tab) {
  const item = document.createElement("li");
  item.classList.toggle("active", tab.active);
  const title = document.createElement("span");
  title.className = "title";
  title.textContent = tab.title || tab.url;
  title.title = tab.url;
  const tools = document.createElement("ul");
  tools.append(...tab.tools.map(({ name, description }) => {
    const tool = document.createElement("li");
    tool.textContent = name;
    tool.title = description;
    return tool;
  }));
  item.append(title, tools);
  return item;
}

chrome.runtime.onMessage.addListener((m, sender) => {
  if (m?.to === "popup" && fromOurselves(sender)) show(m.state);
});

// The worker passes the change on to the link. Storing the same again would be no change, so it is asked to try again.
$("pair").addEventListener("submit", async (e) => {
  e.preventDefault();
  const token = $("token").value.trim();
  await chrome.storage.local.set({ ...(token && { token }), port: $("port").valueAsNumber });
  $("token").value = "";
  await tryAgain();
});
$("again").addEventListener("click", tryAgain);

async function tryAgain() {
  await chrome.runtime.sendMessage({ to: "worker", ask: "wake" });
  await chrome.runtime.sendMessage({ to: "link", config: await readConfig() });
}

$("port").value = (await readConfig()).port;
await chrome.runtime.sendMessage({ to: "worker", ask: "wake" });
const state = await chrome.runtime.sendMessage({ to: "link", ask: "state" }).catch(() => undefined);
if (state) show(state);
