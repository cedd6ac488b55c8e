// Random sequences of what happens in a tab. Chrome may report it in almost any order; in the end, the hub must know what is there.
import assert from "node:assert/strict";
import test from "node:test";
import { Calls } from "../lib/calls.js";
import { Frames } from "../lib/frames.js";
import { originPermitted } from "../lib/origin-rules.js";
import { Model } from "../lib/model.js";
import { tabTruth } from "../lib/tab-truth.js";
import { fakePort } from "./fakes.js";

/** Returns a function that returns pseudo-random numbers in [0, 1), determined by the seed (mulberry32). */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * FakeTab is a tab whose documents come, go and change their tools, and the hub that the extension reports them to. The messages
 * of one document arrive in their order, and so do the worker's, but a document's may arrive before or after another one's:
 * deliver() delivers the next message of any sender.
 */
class FakeTab {
  log = [];
  hub; // what the hub knows: {doc, tools}
  #queues = []; // the senders' messages: arrays of functions that deliver one
  #docs = new Map(); // the open documents: name -> {name, frameId, tools, queue, port, connected, scriptless}
  #main; // the main document's name
  #cached = []; // arrays of documents in the back/forward cache
  #last = 0;
  #worker;

  constructor(seed) {
    this.random = random(seed);
    this.model = new Model({ emit: (m) => this.#receive(m), soon: (f) => setImmediate(f) });
    this.frames = new Frames({
      model: this.model, calls: new Calls({ send: () => true }), originPermitted, describeTab: (id) => this.#describe(id),
      refreshTab: (id) => this.truth.refresh(id), tabState: (id) => this.#describe(id), pause: async () => {},
    });
    this.truth = tabTruth({
      model: this.model, describe: (id) => this.#describe(id), describeAll: async () => [await this.#describe(1)],
      arrivals: (id) => (id === undefined ? this.frames.connects : this.frames.arrivals(id)),
    });
    this.model.tellAll({});
    this.#worker = this.#queue();
    this.navigate();
  }

  pick = (list) => list[Math.floor(this.random() * list.length)];

  #queue() {
    const queue = [];
    this.#queues.push(queue);
    return queue;
  }

  /** Does what the hub does with the extension's messages. */
  #receive(m) {
    const tab = m.type === "connected" ? m.tabs[0] : m.tab;
    if (tab && tab.doc !== this.hub?.doc) this.hub = { doc: tab.doc, tools: [] };
    if (m.type === "toolsChanged" && m.doc === this.hub.doc) this.hub.tools = m.tools;
  }

  /** Resolves with the tab's state at some moment after the call, which may be over when it resolves. */
  #describe(id) {
    const queue = this.#queue();
    return new Promise((resolve) => {
      queue.push(() => {
        const info = { id, title: "", url: "https://a.example/", doc: this.#main, active: true, windowId: 1 };
        queue.push(() => resolve(info));
      });
    });
  }

  #document(frameId, tools) {
    const name = `d${++this.#last}`;
    const scriptless = frameId === 0 && this.random() < 0.2; // a page of Chrome's own, or a file
    const doc = { name, frameId, scriptless, tools: scriptless ? [] : tools, queue: this.#queue() };
    this.#open(doc);
  }

  #open(doc) {
    this.#docs.set(doc.name, doc);
    if (doc.frameId === 0) this.#main = doc.name;
    if (doc.frameId === 0 ? !doc.scriptless : doc.tools.length) this.#connect(doc);
  }

  #connect(doc) {
    doc.connected = true;
    doc.queue.push(() => {
      if (!this.#docs.has(doc.name)) return void doc.queue.splice(0); // Chrome opens no ports of documents that are gone
      doc.port = fakePort({ doc: doc.name, frameId: doc.frameId });
      const asked = this.#queue();
      doc.port.postMessage = (m) => m.type === "again" && asked.push(() => this.#docs.has(doc.name) && this.#post(doc));
      this.frames.connected(doc.port);
    });
    this.#post(doc);
  }

  #post(doc) {
    const tools = doc.tools.map((name) => ({ name }));
    doc.queue.push(() => doc.port.onMessage.fire({ type: "tools", tools }));
  }

  #disconnect(doc) {
    if (doc.connected) doc.queue.push(() => doc.port.onDisconnect.fire(doc.port));
    doc.connected = false;
  }

  #close(doc) {
    this.#docs.delete(doc.name);
    this.#disconnect(doc);
  }

  #tools = () => this.pick([[], ["a"], ["a", "b"]]);

  #leave() {
    const docs = [...this.#docs.values()];
    for (const doc of docs) this.#close(doc);
    this.#worker.push(() => this.truth.refresh(1));
    return docs;
  }

  navigate() {
    const docs = this.#leave();
    if (docs.length && this.random() < 0.5) this.#cached.push(docs);
    this.#document(0, this.#tools());
  }

  goBack() {
    const back = this.#cached.pop();
    if (!back) return;
    this.#leave();
    for (const doc of back) this.#open(doc);
  }

  /** Does what a content script does when its port breaks. */
  reconnect() {
    const doc = this.pick([...this.#docs.values()].filter(({ connected }) => connected));
    if (!doc) return;
    this.#disconnect(doc);
    if (doc.frameId === 0 || doc.tools.length) this.#connect(doc);
  }

  changeHub() {
    this.model.hubGone();
    this.hub = undefined;
    this.model.tellAll({});
  }

  addFrame() {
    this.#document(++this.#last, this.#tools());
  }

  changeFrame() {
    const frames = [...this.#docs.values()].filter(({ frameId }) => frameId !== 0);
    const frame = this.pick(frames);
    if (!frame) return;
    this.#close(frame);
    if (this.random() < 0.6) this.#document(frame.frameId, this.#tools());
  }

  changeTools() {
    const doc = this.pick([...this.#docs.values()].filter(({ scriptless }) => !scriptless));
    if (!doc) return;
    doc.tools = this.#tools();
    if (doc.connected) this.#post(doc);
    else if (doc.tools.length) this.#connect(doc);
  }

  /** Delivers one message. Returns whether there was one. */
  deliver() {
    const queue = this.pick(this.#queues.filter((q) => q.length));
    queue?.shift()();
    return Boolean(queue);
  }

  /** Returns what the hub should know. */
  expected() {
    const docs = [...this.#docs.values()].sort((a, b) => a.frameId - b.frameId);
    return { doc: this.#main, tools: docs.flatMap(({ name, tools }) => tools.map((tool) => `${tool} of ${name}`)) };
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("in the end, the hub knows the page's document and the tools of all its frames", async () => {
  for (let seed = 1; seed <= 1500; seed++) {
    const tab = new FakeTab(seed);
    if (tab.random() < 0.5) tab.truth.refreshAll();
    for (let i = 0; i < 12; i++) {
      const did = tab.pick(["navigate", "addFrame", "addFrame", "changeFrame", "changeTools", "changeTools", "goBack", "reconnect", "changeHub"]);
      tab.log.push(did);
      tab[did]();
      for (let n = Math.floor(tab.random() * 6); n > 0; n--) {
        tab.deliver();
        await turn();
      }
    }
    for (let idle = 0; idle < 5; idle++) {
      await turn();
      if (tab.deliver()) idle = 0;
    }
    const { doc, tools } = tab.hub;
    assert.deepEqual({ doc, tools: tools.map((t) => `${t.name} of ${t.doc}`) }, tab.expected(), `seed ${seed}: ${tab.log}`);
  }
});
