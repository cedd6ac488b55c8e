// The popup: shows the link's state, the tabs and their tools, and takes the pairing token. Page's words are only ever text.
import { readConfig } from "./lib/config.js";
import { fromOurselves } from "./lib/sender.js";
import { asksFor, statusText, summary } from "./lib/status-texts.js";

const $ = (id) => document.getElementById(id);

let shown; // the status

function show(state) {
  const [headline, help] = statusText(state);
  const asks = asksFor(state);
  document.querySelector("main").toggleAttribute("data-asks", asks === "pairing");
  $("again").hidden = asks !== "again";
  if (state.status !== shown) $("pairing").open = asks === "pairing"; // else it is as the user has it
  shown = state.status;
  $("found").hidden = state.status !== "connected" && !state.paired;
  $("status").textContent = headline;
  $("status").dataset.status = state.status;
  $("help").textContent = help;
  $("summary").textContent = summary(state.tabs);
  $("tabs").replaceChildren(...state.tabs.map(tabItem));
}

function tabItem(tab) {
  const item = document.createElement("li");
  item.classList.toggle("active", tab.active);
  item.classList.toggle("toolless", !tab.tools.length);
  const title = document.createElement("span");
  title.className = "title";
  title.textContent = tab.title || tab.url;
  title.title = tab.title ? `${tab.title}\n${tab.url}` : tab.url; // it may be cut
  const tools = document.createElement("ul");
  tools.append(...tab.tools.map(({ name, description }) => {
    const tool = document.createElement("li");
    tool.textContent = name;
    tool.title = description;
    return tool;
  }));
  item.append(title, ...automation(tab), ...(tab.tools.length ? [tools] : []));
  return item;
}

/** What the user can do about an agent that operates the tab, or did until they ended it. */
function automation({ id, automation }) {
  if (!automation) return [];
  const on = automation === "on";
  const button = document.createElement("button");
  button.type = "button";
  button.className = on ? "end" : "allow";
  button.textContent = on ? "An agent operates this tab: end that" : "Let agents operate this tab again";
  button.addEventListener("click", () => chrome.runtime.sendMessage({ to: "link", [button.className]: id }));
  return [button];
}

chrome.runtime.onMessage.addListener((m, sender) => {
  if (m?.to === "popup" && fromOurselves(sender)) show(m.state);
});

// A change reaches the link by way of the storage; entering the same again means: try it again.
$("pair").addEventListener("submit", async (e) => {
  e.preventDefault();
  const [entered, port] = [$("token").value.trim(), $("port").valueAsNumber]; // before an earlier submit clears it
  const before = await readConfig();
  const token = entered || before.token;
  await chrome.storage.local.set({ token, port });
  $("token").value = "";
  if (token === before.token && port === before.port) await tryAgain();
});
$("again").addEventListener("click", tryAgain);

async function tryAgain() {
  await chrome.runtime.sendMessage({ to: "worker", ask: "wake" });
  await chrome.runtime.sendMessage({ to: "link", config: await readConfig(), again: true });
}

$("port").value = (await readConfig()).port;
await chrome.runtime.sendMessage({ to: "worker", ask: "wake" });
const state = await chrome.runtime.sendMessage({ to: "link", ask: "state" }).catch(() => undefined);
if (state) show(state);
