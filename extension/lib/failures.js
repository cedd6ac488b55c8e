// Why documents did not load. The browser says it once, when it happens, and the worker that hears it remembers nothing.

/** How many are remembered: of those that are forgotten it is only known that they did not load. */
const MOST = 1000;

export class Failures {
  #errors = new Map(); // document -> "net::ERR_…", oldest first

  /** The browser has shown an error page, which is the document doc. A navigation that was given up has none. */
  note({ doc, error }) {
    if (!doc || error === "net::ERR_ABORTED") return;
    this.#errors.delete(doc);
    this.#errors.set(doc, error);
    if (this.#errors.size > MOST) this.#errors.delete(this.#errors.keys().next().value);
  }

  /** A tab as the worker describes it, with its error if it shows an error page. */
  complete(info) {
    if (!info?.failed) return info;
    const { failed, ...tab } = info;
    return { ...tab, error: this.#errors.get(tab.doc) ?? "net::ERR_FAILED" };
  }
}
