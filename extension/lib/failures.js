// Why documents did not load. The browser reports an error once, when it happens, and the worker keeps no state.

/** How many errors Failures keeps. Of older ones, it knows only that the documents did not load. */
const MOST = 1000;

export class Failures {
  #errors = new Map(); // document -> "net::ERR_…", oldest first

  /** Notes that the browser shows an error page, which is the document doc. A navigation that was given up has no error page. */
  note({ doc, error }) {
    if (!doc || error === "net::ERR_ABORTED") return;
    this.#errors.delete(doc);
    this.#errors.set(doc, error);
    if (this.#errors.size > MOST) this.#errors.delete(this.#errors.keys().next().value);
  }

  /** Returns a tab as the worker describes it, with its error if it shows an error page. */
  complete(info) {
    if (!info?.failed) return info;
    const { failed, ...tab } = info;
    return { ...tab, error: this.#errors.get(tab.doc) ?? "net::ERR_FAILED" };
  }
}
