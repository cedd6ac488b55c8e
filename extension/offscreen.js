// The document that holds the socket, because Chrome ends an idle service worker after 30 s, but not this document. It keeps all
// that it reports to the hub (lib/model.js), and asks the worker for what only the worker can do: tabs, storage.
import { Acting } from "./lib/acting.js";
import { badge, badges } from "./lib/agents.js";
import { Calls } from "./lib/calls.js";
import { workerTimers } from "./lib/clock.js";
import { Debugged } from "./lib/debugged.js";
import { Failures } from "./lib/failures.js";
import { Frames } from "./lib/frames.js";
import { Link } from "./lib/link.js";
import { Model } from "./lib/model.js";
import { originPermitted } from "./lib/origin-rules.js";
import { tabTruth } from "./lib/tab-truth.js";
import { browserName } from "./lib/browser-name.js";
import { fromOurselves } from "./lib/sender.js";

const worker = async (ask, more) => {
  const answer = await chrome.runtime.sendMessage({ to: "worker", ask, ...more });
  if (answer?.error) throw new Error(answer.error);
  return answer?.value;
};

const timers = workerTimers(new Worker("clock-worker.js"));
const link = new Link({ WebSocket, timers, onMessage: heard, onStatus: statusChanged });
const model = new Model({ emit: (m) => link.send(m), changed: () => stateChanged(), soon: (f) => setTimeout(f, 0) });
const acting = new Acting({ changed: () => stateChanged() });
const calls = new Calls({ send: (m) => link.send(m), acting, timers });
const frames = new Frames({ model, calls, originPermitted, describeTab, refreshTab: (id) => truth.refresh(id).catch(report), tabState: (id) => worker("state", { tabId: id }) });

const debugged = new Debugged({ worker, send: (m) => link.send(m), changed: () => stateChanged(), ended: await worker("debuggerEnded").catch(() => []) });
const failures = new Failures();

const SETS = ["setPaused", "setPermission"]; // the popup's settings for agents
let config; // {token, port, instance}
let agents; // the hub's latest agentStatus; undefined if it sent none
const showBadges = badges((list) => worker("badges", { badges: list }).catch(report));

// --- the tabs, as the worker sees them ---

/** Resolves with the tab as it is now, or undefined if the tab is gone. */
async function describeTab(id) {
  return failures.complete(await worker("tab", { tabId: id }));
}

const truth = tabTruth({
  model, report, describe: describeTab, describeAll: async () => (await worker("tabs")).map((info) => failures.complete(info)),
  arrivals: (id) => (id === undefined ? frames.connects : frames.arrivals(id)),
});

// --- the hub ---

async function heard(m) {
  switch (m.type) {
    case "connect":
      frames.rules(m.origins ?? undefined); // from now on, forbidden frames report nothing
      frames.introspect(m.introspect === true);
      return introduce(m);
    case "openTab":
      return order(m, "open", { url: m.url, focus: m.focus });
    case "focusTab":
      return order(m, "focus", { tabId: m.tabId });
    case "closeTab":
      return order(m, "close", { tabId: m.tabId });
    case "callTool":
      return frames.call(m);
    case "debuggerAttach":
      return debugged.attach(m);
    case "debuggerCommand":
      acting.acts(m.tabId);
      return debugged.command(m);
    case "debuggerDetach":
      return debugged.detach(m.tabId);
    case "cancelTool":
      return calls.cancel(m.callId);
    case "agentStatus":
      agents = m;
      return stateChanged();
  }
}

let introductions = 0; // to a hub, begun or invalidated

async function introduce({ legacyModelContext, origins }) {
  const mine = ++introductions;
  await worker("rules", { rules: origins ?? undefined }).catch(report); // so they hold in tabs that the hub opens
  await worker("legacy", { pages: legacyModelContext ?? undefined, ruled: Boolean(origins) }).catch(report); // there, too
  await truth.refreshAll();
  const browser = { ...(await browserName(navigator)), automation: (await worker("canDebug")) === true, agentStatus: true };
  if (mine === introductions) model.tellAll({ ...browser, instance: config.instance });
}

/** Carries out the hub's order, and sends the result after the tab's own changes. */
async function order({ requestId }, ask, params) {
  const result = { type: "orderResult", requestId };
  try {
    result.tabId = await worker(ask, params);
    await truth.refresh(result.tabId);
    if (ask === "focus") model.tabFocused(result.tabId, { ordered: true });
  } catch (e) {
    result.error = e.message;
  }
  if (requestId !== undefined) link.send(result);
}

function statusChanged(status) {
  if (status !== "connected") {
    introductions++;
    agents = undefined;
    frames.introspect(false);
    worker("legacy").catch(report);
    model.hubGone();
    calls.cancelAll();
    debugged.endAll();
  }
  stateChanged();
}

// --- the popup ---

let telling = false;

const state = () => ({
  status: link.status, detail: link.detail, port: config?.port, paired: Boolean(config?.token),
  agents,
  tabs: model.tabs().map(({ id, title, url, active, site, tools }) => ({ id, title, url, active, site, acting: acting.is(id), automation: debugged.state(id), tools: tools.map(({ name, description }) => ({ name, description })) })),
});

function stateChanged() {
  if (telling) return;
  telling = true;
  setTimeout(() => {
    telling = false;
    const now = state();
    showBadges(now.tabs.map((tab) => ({ id: tab.id, doc: model.tab(tab.id)?.doc, badge: badge({ connected: now.status === "connected", agents, tab }) })));
    chrome.runtime.sendMessage({ to: "popup", state: now }).catch(() => {}); // no popup
  }, 100);
}

// --- messages from the extension's other parts ---

/** Takes the user's settings. Does nothing if they are the same, unless the user asks for another attempt (again). */
function configure(next, again) {
  if (!again && config && config.token === next.token && config.port === next.port) return;
  config = next;
  link.configure(config);
}

function report(e) {
  console.warn(e);
}

chrome.runtime.onConnect.addListener((port) => frames.connected(port));

chrome.runtime.onMessage.addListener((m, sender, reply) => {
  if (m?.to !== "link" || !fromOurselves(sender)) return false;
  if (m.ask === "state") return reply(state()), false;
  if (m.debugger) debugged.said(m.debugger);
  if (m.end) debugged.end(m.end);
  if (m.allow) debugged.allow(m.allow);
  if (agents && SETS.includes(m.set?.type) && debugged.state(sender.tab?.id) !== "on") link.send(m.set); // in a debugged tab, an agent may have clicked
  if (m.config) configure(m.config, m.again);
  if (m.gone) truth.gone(m.gone);
  if (m.opened) calls.opened(m.opened);
  if (m.aborted) calls.aborted(m.aborted);
  if (m.failed) failures.note(m.failed);
  if (m.changed) truth.refresh(m.changed).catch(report);
  if (m.focused) truth.refresh(m.focused).then(() => model.tabFocused(m.focused), report);
  return false;
});

await worker("debuggerDetachAll").catch(report); // an earlier document may have died and left some
await truth.refreshAll().catch(report);
configure(await worker("config"));
