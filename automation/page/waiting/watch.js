// Looks for the texts that a caller waits for, and if the result is the known one, looks again after a change. It finds
// what a person sees or hears: visible text, also in open shadow trees, joined as the page lays it out; the values of
// fields; and the names of elements.
async (id, texts, gone, known) => {
  'use strict';

  const one = (text) => text.replace(/\s+/g, ' ').trim();
  const bare = (text) => text.replace(/\s+/g, '').toLowerCase();

  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null);

  let drawn; // elements' visibility during one look
  const visible = (element) => {
    let is = drawn.get(element);
    if (is === undefined) {
      is = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      // An element without a box of its own is as visible as what is around it.
      if (!is && getComputedStyle(element).display === 'contents') is = !!parentOf(element) && visible(parentOf(element));
      drawn.set(element, is);
    }
    return is;
  };

  // ownTextShown says whether an element's own text is visible: a closed element can be visible without its text.
  const ownTextShown = (element) => visible(element) && !(element.tagName === 'DETAILS' && !element.open) && getComputedStyle(element).contentVisibility !== 'hidden';

  // Chrome shows no generated content in these elements. An img shows its image instead.
  const takesNone = 'img, iframe, video, audio, canvas, object, embed, input:not([type=checkbox], [type=radio])';
  const mostContent = 1 << 16; // generated content that is read, in letters
  const quoted = /"((?:[^"\\]|\\.)*)"/g;
  const unescaped = (text) => text.replace(/\\(?:([\da-f]{1,6})\s?|(.))/gi, (_, code, letter) => letter ?? String.fromCodePoint(parseInt(code, 16)));

  // generated returns the pieces that styles write before or after an element's content. It doesn't know counters.
  const generated = (element, where) => {
    // The page can give a form a field with any name, which then hides the form's method.
    if (!(element instanceof HTMLElement) || Element.prototype.matches.call(element, takesNone) || !ownTextShown(element)) return [];
    const style = getComputedStyle(element, where);
    if (style.content === 'none' || style.content.length > mostContent) return [];
    if (style.display === 'none' || style.visibility !== 'visible' || style.opacity === '0') return [];
    const marks = [...style.quotes.matchAll(quoted)].map(([, mark]) => unescaped(mark));
    let data = '';
    for (const [token, text] of style.content.matchAll(/"((?:[^"\\]|\\.)*)"|[\w-]+(?:\((?:[^()"]|"(?:[^"\\]|\\.)*")*\))?|\//g)) {
      if (token === '/') break; // the rest is only alt text
      if (text !== undefined) data += unescaped(text);
      else if (token.startsWith('counter')) data += '\ufffc';
      else if (token === 'open-quote') data += marks[0] ?? '“';
      else if (token === 'close-quote') data += marks[1] ?? '”';
    }
    const piece = (data) => ({ data, parentElement: element, transform: style.textTransform });
    // Content outside of the text's flow, such as an overlay that makes a card a link, doesn't divide the text.
    const beside = /^(absolute|fixed)$/.test(style.position) || style.float !== 'none';
    if (beside || /^(inline|contents|ruby)/.test(style.display)) return data ? [piece(data)] : [];
    return [piece(''), piece(data), piece('')];
  };

  // What the document shows, in the order in which it shows it.
  let roots;
  let pieces; // visible text nodes, what styles write, and line breaks: null, or data of ''
  let names; // [element, kind, text]
  const lacksText = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE', 'SELECT', 'TEXTAREA', 'DATALIST']);

  const nameOf = (element) => {
    const add = (kind, text) => { if (text && visible(element)) names.push([element, kind, text]); };
    const ids = element.getAttribute('aria-labelledby');
    if (ids) {
      const root = element.getRootNode();
      add('label', ids.trim().split(/\s+/).map((id) => root.getElementById?.(id)?.textContent ?? '').join(' '));
    }
    for (const attribute of ['aria-label', 'alt', 'placeholder', 'title', 'aria-valuetext', 'aria-description']) {
      if (!element.hasAttribute(attribute)) continue;
      if (attribute !== 'placeholder') add('label', element.getAttribute(attribute));
      else if (!element.value) add('placeholder', element.getAttribute(attribute));
    }
    switch (element.tagName) {
      case 'INPUT':
        if (!['password', 'hidden', 'checkbox', 'radio', 'file'].includes(element.type)) add('value', element.value);
        break;
      case 'TEXTAREA':
        add('value', element.value);
        break;
      case 'SELECT':
        for (const option of element.multiple || element.size > 1 ? element.options : element.selectedOptions) add('value', option.label);
        break;
    }
  };

  // unseen says whether this frame is invisible in the document around it.
  const unseen = () => self !== top && (!innerWidth || !innerHeight || frameElement?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) === false);

  let lists; // all pieces, and those without generated content, which may divide a text

  // index joins the text of all pieces, and says where each piece begins in it.
  const index = (pieces) => {
    const [starts, bares] = [[], []];
    let length = 0;
    for (const piece of pieces) {
      starts.push(length);
      const text = piece ? bare(piece.data) : '';
      bares.push(text);
      length += text.length;
    }
    return { pieces, starts, all: bares.join('') };
  };

  const read = () => {
    [drawn, roots, pieces, names, lists] = [new Map(), [document], [], [], []];
    if (unseen()) return;
    // This is a loop over a list of what is left, because a document may be too deep for recursion.
    const todo = [document.documentElement];
    while (todo.length) {
      const node = todo.pop();
      if (node?.nodeType === Node.TEXT_NODE) {
        const parent = parentOf(node);
        if (parent && (!/\S/.test(node.data) || ownTextShown(parent))) pieces.push(node);
      } else if (node?.nodeType === Node.ELEMENT_NODE) {
        if (!node.checkVisibility() && getComputedStyle(node).display === 'none') continue;
        if (node.tagName === 'BR') pieces.push(null);
        nameOf(node);
        if (lacksText.has(node.tagName)) continue;
        const shadow = node.shadowRoot;
        if (shadow) roots.push(shadow);
        const slotted = node.tagName === 'SLOT' ? node.assignedNodes() : [];
        const kids = slotted.length ? slotted : (shadow ?? node).childNodes;
        todo.push(...generated(node, '::after').reverse());
        for (let i = kids.length - 1; i >= 0; i--) todo.push(kids[i]);
        todo.push(...generated(node, '::before').reverse());
      } else if (!node?.nodeType) pieces.push(node);
    }
    lists.push(index(pieces));
    const own = pieces.filter((piece) => piece?.transform === undefined);
    if (own.length < pieces.length) lists.push(index(own));
  };

  // pieceAt returns the index of the piece that has the character at this position of the joined text.
  const pieceAt = (starts, at) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  const ancestors = (node) => {
    const found = [];
    for (let p = parentOf(node); p; p = parentOf(p)) found.push(p);
    return found;
  };

  // parted says whether two texts are in different lines or cells.
  const parted = (a, b) => {
    const above = ancestors(a);
    const beside = ancestors(b);
    const common = above.find((p) => beside.includes(p));
    const between = [...above.slice(0, above.indexOf(common)), ...beside.slice(0, beside.indexOf(common))];
    return between.some((p) => !/^(inline|contents|ruby)/.test(getComputedStyle(p).display));
  };

  const asDrawn = (node) => {
    switch (node.transform ?? getComputedStyle(parentOf(node)).textTransform) {
      case 'uppercase': return node.data.toUpperCase();
      case 'lowercase': return node.data.toLowerCase();
      case 'capitalize': return node.data.replace(/(^|\s)(\S)/g, (_, space, letter) => space + letter.toUpperCase());
      default: return node.data;
    }
  };

  // shows says whether the pieces from first to last show a text that is spread over them.
  const shows = (pieces, first, last, text) => {
    let written = '';
    let seen = '';
    let before = null;
    let line = false;
    for (let i = first; i <= last; i++) {
      const piece = pieces[i];
      line ||= !piece?.data;
      if (!piece?.data) continue;
      const space = before && (line || parted(before, piece)) ? ' ' : '';
      written += space + piece.data;
      seen += space + asDrawn(piece);
      line = false;
      before = piece;
    }
    return one(written).includes(text) || one(seen).includes(text);
  };

  const describe = (element, kind, text, of) => {
    const around = one(text);
    const at = Math.max(0, around.toLowerCase().indexOf(of.toLowerCase()) - 30);
    return { kind, tag: element?.tagName.toLowerCase() ?? '', role: element?.getAttribute('role') ?? '', text: around.slice(at, at + 120) };
  };

  const find = (given) => {
    const text = one(given);
    const needle = bare(given);
    if (!needle) return null;
    for (const { pieces, starts, all } of lists) {
      for (let at = all.indexOf(needle); at >= 0; at = all.indexOf(needle, at + 1)) {
        const first = pieceAt(starts, at);
        if (!shows(pieces, first, pieceAt(starts, at + needle.length - 1), text)) continue;
        const { data, transform } = pieces[first];
        const element = parentOf(pieces[first]);
        return describe(element, 'text', (transform === undefined && element.textContent.length < 2000 && element.innerText) || data, text);
      }
    }
    for (const [element, kind, name] of names) {
      if (one(name).includes(text)) return describe(element, kind, name, text);
    }
    return null;
  };

  const look = () => {
    const begun = performance.now();
    read();
    let where = null;
    const shown = texts.findIndex((text) => (where = find(text)));
    const still = gone.findIndex(find);
    return { shown, where, still, key: `${shown} ${still}`, took: performance.now() - begun };
  };

  // The waits in this document, by id: a new call with the same id ends the one before.
  const waits = (globalThis[Symbol.for('webmcp-hub-waiting')] ??= new Map());

  // change resolves to true once something has changed, and to false if another call with the same id ends the wait.
  const change = () => new Promise((done) => {
    const events = ['input', 'change', 'load', 'toggle', 'transitionend', 'animationend', 'animationstart', 'slotchange', 'resize', 'fullscreenchange'];
    const end = (changed) => {
      observer.disconnect();
      for (const type of events) removeEventListener(type, wake, true);
      if (waits.get(id) === end) waits.delete(id);
      done(changed);
    };
    const wake = () => end(true);
    const observer = new MutationObserver(wake);
    for (const root of roots) observer.observe(root, { childList: true, characterData: true, attributes: true, subtree: true });
    for (const type of events) addEventListener(type, wake, true);
    waits.set(id, end);
  });

  waits.get(id)?.(false);
  const now = look();
  if (now.key !== known) return now;
  return (await change()) ? look() : null;
}
