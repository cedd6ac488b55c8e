// The tabs in which agents act now: those with a running call, or a browser tool's command. For the badge and the popup. Pure.

/** How long a tab still counts afterwards: most calls end before a person could see them. */
export const LINGER_MS = 1500;

/** Acting calls changed() when a tab begins to count, or no longer does. */
export class Acting {
  #changed;
  #timers;
  #now;
  #tabs = new Map(); // id -> {running, at: when the last one ended, timer}

  constructor({ changed, timers = globalThis, now = () => performance.now() }) {
    this.#changed = changed;
    this.#timers = timers;
    this.#now = now;
  }

  is(tabId) {
    return this.#tabs.has(tabId);
  }

  begins(tabId) {
    const tab = this.#tabs.get(tabId) ?? { running: 0, at: 0 };
    const first = !this.#tabs.has(tabId);
    tab.running++;
    this.#tabs.set(tabId, tab);
    if (first) this.#changed();
  }

  ends(tabId) {
    const tab = this.#tabs.get(tabId);
    if (!tab || --tab.running > 0) return;
    tab.at = this.#now();
    tab.timer ??= this.#timers.setTimeout(() => this.#look(tabId, tab), LINGER_MS); // one for many calls
  }

  /** Notes an action that ends at once. */
  acts(tabId) {
    this.begins(tabId);
    this.ends(tabId);
  }

  #look(tabId, tab) {
    tab.timer = undefined;
    if (tab.running > 0) return;
    const left = tab.at + LINGER_MS - this.#now();
    if (left > 0) {
      tab.timer = this.#timers.setTimeout(() => this.#look(tabId, tab), left);
      return;
    }
    this.#tabs.delete(tabId);
    this.#changed();
  }
}
