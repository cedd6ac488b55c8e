// The popup: shows the link's state, the tabs and their tools, takes the pairing token, and sets what agents may do. It shows
// pages' words only as text.
import { siteTexts } from "./lib/agents.js";
import { readConfig } from "./lib/config.js";
import { moveAmong } from "./lib/rows.js";
import { fromOurselves } from "./lib/sender.js";
import { asksFor, statusText, summary } from "./lib/status-texts.js";

const $ = (id) => document.getElementById(id);

let shown; // the status
let listed; // the tabs that are shown, as JSON
let site = ""; // of the page that was in front when the popup opened: settings for it must not reach another one
let front; // its tab's id

function show(state) {
  const [headline, help] = statusText(state);
  const asks = asksFor(state);
  document.querySelector("main").toggleAttribute("data-asks", asks === "pairing");
  $("again").hidden = asks !== "again";
  if (state.status !== shown) $("pairing").open = asks === "pairing"; // else as the user left it
  shown = state.status;
  $("found").hidden = state.status !== "connected" && !state.paired;
  $("status").textContent = headline;
  $("status").dataset.status = state.status;
  $("help").textContent = help;
  $("summary").textContent = summary(state.tabs);
  showAgents(state);
  if (listed === JSON.stringify(state.tabs)) return;
  listed = JSON.stringify(state.tabs);
  rows.keep(() => $("tabs").replaceChildren(...state.tabs.map(tabItem)));
}

/** Shows the settings for agents. Hides them if the hub doesn't report them: such a hub can't change them either. */
function showAgents({ agents, tabs }) {
  $("agents").hidden = !agents;
  if (!agents) return;
  const tab = tabs.find(({ id }) => id === front);
  site ||= tab?.site ?? "";
  const { paused, all, here, permission, moved } = siteTexts(agents, tab, site);
  $("paused").textContent = paused;
  $("paused").hidden = !paused;
  toggle("pause-all", all, "Let all agents go on", "Pause all agents");
  toggle("pause-site", here, "Let agents go on here", "Pause agents here");
  $("site").hidden = !site;
  $("moved").hidden = !moved;
  $("pause-site").disabled = $("permission").disabled = moved;
  $("site-name").textContent = site.replace(/^https?:\/\//, "");
  $("site-name").title = site;
  if ($("permission").value !== permission) $("permission").value = permission;
}

function toggle(id, on, whenOn, whenOff) {
  $(id).textContent = on ? whenOn : whenOff;
  $(id).classList.toggle("on", on);
  $(id).dataset.on = on;
}

const set = (m) => chrome.runtime.sendMessage({ to: "link", set: m });
$("pause-all").addEventListener("click", (e) => set({ type: "setPaused", paused: e.target.dataset.on !== "true" }));
$("pause-site").addEventListener("click", (e) => set({ type: "setPaused", origin: site, paused: e.target.dataset.on !== "true" }));
$("permission").addEventListener("change", (e) => set({ type: "setPermission", origin: site, permission: e.target.value }));

const rows = moveAmong($("tabs"));

/** Returns a row, cut off where it is too long. Its tooltip has the whole text, and the row shows it while it has the focus. */
function row(key, text, title) {
  const item = document.createElement("span");
  item.className = "row";
  item.dataset.key = key;
  item.tabIndex = -1;
  item.textContent = text;
  item.title = title;
  return item;
}

function tabItem(tab) {
  const item = document.createElement("li");
  item.classList.toggle("active", tab.active);
  item.classList.toggle("toolless", !tab.tools.length);
  const title = row(`${tab.id}`, tab.title || tab.url, tab.title ? `${tab.title}\n${tab.url}` : tab.url);
  title.classList.add("title");
  if (tab.acting) title.prepend(mark("An agent acts here: "));
  const tools = document.createElement("ul");
  tools.append(...tab.tools.map(({ name, description }, i) => {
    const tool = document.createElement("li");
    const line = row(`${tab.id} ${i} ${name}`, name, description ? `${name}\n${description}` : name);
    const says = document.createElement("span");
    says.className = "says";
    says.textContent = description ? ` ${description}` : "";
    line.append(says);
    tool.append(line);
    return tool;
  }));
  item.append(title, ...automation(tab), ...(tab.tools.length ? [tools] : []));
  return item;
}

function mark(text) {
  const dot = document.createElement("span");
  dot.className = "acting";
  dot.textContent = text; // drawn as a dot
  return dot;
}

/** Returns the button that ends an agent's work in the tab, or allows it again after the user ended it; [] without either. */
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

// The link learns of changed values from chrome.storage. Unchanged values mean: try again.
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

/** Resolves with the id of the tab that the user looks at, or looked at before they opened the popup as a page. */
async function tabInFront() {
  const own = await chrome.tabs.getCurrent(); // undefined in the popup itself
  const tabs = (await chrome.tabs.query(own ? { windowId: own.windowId } : { active: true, lastFocusedWindow: true })).filter(({ id }) => id !== own?.id);
  return tabs.sort((a, b) => (b.lastAccessed ?? 0) - (a.lastAccessed ?? 0))[0]?.id;
}

front = await tabInFront().catch(() => undefined);
$("port").value = (await readConfig()).port;
await chrome.runtime.sendMessage({ to: "worker", ask: "wake" });
const state = await chrome.runtime.sendMessage({ to: "link", ask: "state" }).catch(() => undefined);
if (state) show(state);
