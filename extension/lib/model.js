// The tabs, and the tools of their frames, as Model reports them to the hub. Pure: facts come in, and emit sends messages out.
//
// Facts come from the worker (which asks chrome.tabs) and from the frames' ports. They may come late, twice or out of order.
// Model always holds a complete state, and emits a message only if that state differs from what the hub knows. A tab's tools
// belong to its main document: Model reports a new document before that document's tools.

import { siteOf } from "./agents.js";

const sortFrames = (frames) => [...frames].sort((a, b) => a.frameId - b.frameId || (a.doc < b.doc ? -1 : 1));

/** Returns whether the extension made this tool from the page's content. */
const made = (tool) => tool.runtime === "dom";

/** Returns a tool as the hub gets it: what the page says about it, and the tool's frame. */
function told(tool, frame) {
  const { name, title, description = "", inputSchema, outputSchema, annotations, _meta, runtime } = tool;
  return { name, title, description, inputSchema, outputSchema, annotations, _meta, runtime, frameId: frame.frameId, frameUrl: frame.url, origin: frame.origin, doc: frame.doc };
}

/** Returns the MCP-B capabilities that any of the frames' servers declares, or undefined if there are none. */
function declared(frames) {
  const browser = {};
  for (const frame of frames) for (const [name, is] of Object.entries(frame.browser ?? {})) if (is === true) browser[name] = true;
  return Object.keys(browser).length ? browser : undefined;
}

/**
 * Model owns the state of the tabs. Its methods call changed() for each change, and emit(message) only while there is a hub that
 * tellAll has told everything; soon(f) defers f to the end of the current burst.
 * A frame is {doc, frameId, url, origin}: its document's id, its own number (0 is the main frame), its address, and its
 * document's origin, which may differ from the address's.
 */
export class Model {
  #tabs = new Map(); // id -> {info, frames: Map doc -> {doc, frameId, url, tools}, toldTools, due}
  #emit;
  #soon;
  #front; // the id of the tab that the user has in front
  #told = false; // whether tellAll has told a hub everything

  /** Called with the id of a tab that gets another main document: Model has dropped the tools of its frames. Must not call Model. */
  onDocument = () => {};

  constructor({ emit, soon = queueMicrotask, changed = () => {} }) {
    this.#emit = (m) => {
      changed();
      if (this.#told) emit(m);
    };
    this.#soon = soon;
  }

  /** Returns the tabs as TabInfo, sorted by id, each with its site and its tools, for the popup and the badges. */
  tabs() {
    const all = [...this.#tabs.values()].map(({ info, frames }) => ({ ...info, site: siteOf(frames.get(info.doc)?.origin, info.url), tools: this.tools(info.id) }));
    return all.sort((a, b) => a.id - b.id);
  }

  tab(id) {
    return this.#tabs.get(id)?.info;
  }

  /** Returns all tools of a tab. If the main frame has tools of its own, leaves out the tools made from any frame's content. */
  tools(id) {
    const frames = sortFrames(this.#tabs.get(id)?.frames.values() ?? []);
    const ownTools = frames.some((frame) => frame.frameId === 0 && frame.tools.some((tool) => !made(tool)));
    return frames.flatMap((frame) => frame.tools.filter((tool) => !(ownTools && made(tool))).map((tool) => told(tool, frame)));
  }

  /** Takes the complete list of tabs; tabs that are not in it are gone. */
  allTabs(infos) {
    const open = new Set(infos.map(({ id }) => id));
    for (const id of [...this.#tabs.keys()]) if (!open.has(id)) this.tabGone(id);
    for (const info of infos) this.tabIs(info);
  }

  /** Takes a tab's current state: {id, title, url, doc, active, windowId}. */
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

  /** Drops the old document's frames, as the hub does. */
  #newDocument(tab, doc) {
    for (const old of [...tab.frames.keys()]) if (old !== doc) tab.frames.delete(old);
    tab.toldTools = "[]";
    if (tab.frames.size) this.#toolsDue(tab);
    this.onDocument(tab.info.id);
  }

  tabGone(id) {
    if (this.#front === id) this.#front = undefined;
    if (this.#tabs.delete(id)) this.#emit({ type: "tabClosed", tabId: id });
  }

  /** Notes that the user has this tab in front. Emits a message if that is new, or if the hub ordered it. */
  tabFocused(id, { ordered = false } = {}) {
    const tab = this.#tabs.get(id);
    if (!tab || (this.#front === id && !ordered)) return;
    this.#front = id;
    this.tabIs({ ...tab.info, active: true });
    this.#emit({ type: "tabFocused", ...this.#toolsOf(tab) });
  }

  /**
   * Takes a frame's current tools, and the MCP-B capabilities that its servers declare. The tab must be known, and a main frame's
   * document must be the tab's.
   */
  frameHas(tabId, frame, tools, browser) {
    const tab = this.#tabs.get(tabId);
    if (!tab) return;
    tab.frames.set(frame.doc, { ...frame, tools, browser });
    this.#toolsDue(tab);
  }

  /** Removes a frame's document and its tools. */
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

  /** Returns the message fields about a tab's tools, and notes that the hub knows them. */
  #toolsOf(tab) {
    const { id, doc } = tab.info;
    const tools = this.tools(id);
    const browser = declared(tab.frames.values());
    tab.toldTools = JSON.stringify(tools) + (browser ? JSON.stringify(browser) : "");
    return { tabId: id, tools, doc, origin: tab.frames.get(doc)?.origin, ...(browser && { browser }) };
  }

  /** Stops emitting until tellAll tells the next hub everything. */
  hubGone() {
    this.#told = false;
  }

  /** Tells a new hub everything: the answer to "connect", then the tools of each tab that has some. */
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
