// What the hub is told of: the tabs, and the tools of their frames. Pure: facts come in, messages go out by emit.
//
// Facts may come late, twice or out of order, from the worker (which asks chrome.tabs) and from the frames' own ports; what is
// known is always a whole truth, and a message is emitted only if that truth is another one than the hub was told. A tab's
// tools belong to its main document: the hub hears of a new document before it hears of its tools.

import { siteOf } from "./agents.js";

const sortFrames = (frames) => [...frames].sort((a, b) => a.frameId - b.frameId || (a.doc < b.doc ? -1 : 1));

/** Whether the extension has made a tool of what is in the page. */
const made = (tool) => tool.runtime === "dom";

/** A tool as it is told: what the page said of it, and whose it is. */
function told(tool, frame) {
  const { name, title, description = "", inputSchema, outputSchema, annotations, _meta, runtime } = tool;
  return { name, title, description, inputSchema, outputSchema, annotations, _meta, runtime, frameId: frame.frameId, frameUrl: frame.url, origin: frame.origin, doc: frame.doc };
}

/** What any of the frames' servers declares of MCP-B's capabilities; undefined if there is nothing. */
function declared(frames) {
  const browser = {};
  for (const frame of frames) for (const [name, is] of Object.entries(frame.browser ?? {})) if (is === true) browser[name] = true;
  return Object.keys(browser).length ? browser : undefined;
}

/**
 * Model owns the truth. emit(message) is called while a method runs, once there is a hub that was told all (tellAll);
 * changed() whether there is one or not; soon(f) defers f to the end of the current burst.
 * A frame is {doc, frameId, url, origin}: its document's id, its own number (0 is the main frame), its address, and its
 * document's origin, which is not always the address's.
 */
export class Model {
  #tabs = new Map(); // id -> {info, frames: Map doc -> {doc, frameId, url, tools}, toldTools, due}
  #emit;
  #soon;
  #front; // the id of the tab that the user has in front
  #told = false; // whether there is a hub that knows what was told

  constructor({ emit, soon = queueMicrotask, changed = () => {} }) {
    this.#emit = (m) => {
      changed();
      if (this.#told) emit(m);
    };
    this.#soon = soon;
  }

  /** The tabs as TabInfo, in order of their ids, each with its site and its tools, for the popup. */
  tabs() {
    const all = [...this.#tabs.values()].map(({ info, frames }) => ({ ...info, site: siteOf(frames.get(info.doc)?.origin, info.url), tools: this.tools(info.id) }));
    return all.sort((a, b) => a.id - b.id);
  }

  tab(id) {
    return this.#tabs.get(id)?.info;
  }

  /** All tools of a tab. Where the main frame has tools of its own, none are made of the other frames either. */
  tools(id) {
    const frames = sortFrames(this.#tabs.get(id)?.frames.values() ?? []);
    const ownTools = frames.some((frame) => frame.frameId === 0 && frame.tools.some((tool) => !made(tool)));
    return frames.flatMap((frame) => frame.tools.filter((tool) => !(ownTools && made(tool))).map((tool) => told(tool, frame)));
  }

  /** All tabs there are. Those that are not among them are gone. */
  allTabs(infos) {
    const open = new Set(infos.map(({ id }) => id));
    for (const id of [...this.#tabs.keys()]) if (!open.has(id)) this.tabGone(id);
    for (const info of infos) this.tabIs(info);
  }

  /** A tab as it is now: {id, title, url, doc, active, windowId}. */
  tabIs(info) {
    const tab = this.#tabs.get(info.id);
    if (!tab) {
      this.#tabs.set(info.id, { info, frames: new Map(), toldTools: "[]", due: false });
      this.#emit({ type: "tabCreated", tab: info });
    } else if (JSON.stringify(tab.info) !== JSON.stringify(info)) {
      if (tab.info.doc !== info.doc) this.#newDocument(tab, info.doc);
      tab.info = info;
      this.#emit({ type: "tabUpdated", tab: info });
    }
    if (info.active) this.#onlyActive(info);
  }

  #onlyActive({ id, windowId }) {
    for (const other of this.#tabs.values()) {
      if (other.info.id !== id && other.info.windowId === windowId && other.info.active) {
        other.info = { ...other.info, active: false };
        this.#emit({ type: "tabUpdated", tab: other.info });
      }
    }
  }

  /** The hub drops the tools of the old document by itself. Frames that live on are asked to tell theirs again (lib/frames.js). */
  #newDocument(tab, doc) {
    for (const old of [...tab.frames.keys()]) if (old !== doc) tab.frames.delete(old);
    tab.toldTools = "[]";
    if (tab.frames.size) this.#toolsDue(tab);
  }

  tabGone(id) {
    if (this.#front === id) this.#front = undefined;
    if (this.#tabs.delete(id)) this.#emit({ type: "tabClosed", tabId: id });
  }

  /** The user has this tab in front now. Said again it is no news, but told when the hub ordered it. */
  tabFocused(id, { ordered = false } = {}) {
    const tab = this.#tabs.get(id);
    if (!tab || (this.#front === id && !ordered)) return;
    this.#front = id;
    this.tabIs({ ...tab.info, active: true });
    this.#emit({ type: "tabFocused", ...this.#toolsOf(tab) });
  }

  /**
   * A frame's tools as they are now, and what its servers declare of MCP-B's capabilities. The tab must be known; the main
   * frame's document is the tab's.
   */
  frameHas(tabId, frame, tools, browser) {
    const tab = this.#tabs.get(tabId);
    if (!tab) return;
    tab.frames.set(frame.doc, { ...frame, tools, browser });
    this.#toolsDue(tab);
  }

  /** A frame's document is gone, and its tools with it. */
  frameGone(tabId, doc) {
    const tab = this.#tabs.get(tabId);
    if (tab?.frames.delete(doc)) this.#toolsDue(tab);
  }

  #toolsDue(tab) {
    if (tab.due) return;
    tab.due = true;
    this.#soon(() => {
      tab.due = false;
      if (this.#tabs.get(tab.info.id) !== tab) return;
      const before = tab.toldTools;
      const told = this.#toolsOf(tab);
      if (tab.toldTools !== before) this.#emit({ type: "toolsChanged", ...told });
    });
  }

  /** What is told of a tab's tools; it counts as told. */
  #toolsOf(tab) {
    const { id, doc } = tab.info;
    const tools = this.tools(id);
    const browser = declared(tab.frames.values());
    tab.toldTools = JSON.stringify(tools) + (browser ? JSON.stringify(browser) : "");
    return { tabId: id, tools, doc, origin: tab.frames.get(doc)?.origin, ...(browser && { browser }) };
  }

  /** There is no hub any more. Nothing is told until the next one is told all. */
  hubGone() {
    this.#told = false;
  }

  /** The whole truth, for a hub that knows nothing: the answer to "connect", then the tools of each tab that has some. */
  tellAll(browser) {
    this.#told = true;
    const tabs = [...this.#tabs.values()];
    this.#emit({ type: "connected", browser, tabs: tabs.map((tab) => tab.info) });
    for (const tab of tabs) {
      const told = this.#toolsOf(tab);
      if (told.tools.length || told.browser) this.#emit({ type: "toolsChanged", ...told });
    }
  }
}
