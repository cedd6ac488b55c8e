// Editors that draw their text themselves. Such an editor takes keys in a small field that nobody sees. The field holds
// as much of the text as the editor likes.
(hub) => {
  'use strict';

  const most = 8; // levels around such a field

  // readable says whether a person could see a letter of a field's text in the field's box.
  const readable = (field) => {
    const box = hub.clipped(field);
    if (box.width < 4 || box.height < 4) return false;
    const style = getComputedStyle(field);
    const clear = /^rgba\(.*, 0\)$|^transparent$/;
    return style.opacity !== '0' && !clear.test(style.color);
  };

  // surface returns where an editor draws the text that is typed into a field; null for a field that shows it itself.
  hub.surface = (field) => {
    const hidden = (field.nodeName === 'TEXTAREA' || field.isContentEditable || field.editContext) && hub.visible(field) && !readable(field);
    for (let at = hub.parent(field), n = 0; hidden && at && at !== document.body && n < most; at = hub.parent(at), n++) {
      const box = at.getBoundingClientRect();
      if (box.width >= 40 && box.height >= 12) return at;
    }
    return null;
  };

  // editorField returns the field of the editor that draws an element; null unless there is exactly one.
  hub.editorField = (element) => {
    for (let at = element, n = 0; at && at !== document.body && n < most; at = hub.parent(at), n++) {
      const fields = [...(at.shadowRoot || at).querySelectorAll('textarea, [contenteditable]:not([contenteditable=false]), [role=textbox]')];
      const found = fields.filter((field) => { const surface = hub.surface(field); return surface && surface.contains(element); });
      if (found.length) return found.length === 1 ? found[0] : null;
    }
    return null;
  };

  // copied returns what an editor offers to copy of its selection, after one turn of the page's event loop. It
  // dispatches a copy event and doesn't use the clipboard.
  hub.copied = async (node, length) => {
    const field = hub.fieldElement(node);
    if (!field) return { state: 'detached' };
    await new Promise((done) => setTimeout(done));
    const clipboardData = new DataTransfer();
    field.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true, composed: true }));
    const all = clipboardData.getData('text/plain') || (field.nodeName === 'TEXTAREA' ? field.value : '');
    return { state: field.isConnected ? 'ready' : 'detached', value: all.slice(0, length), length: all.length, valid: true };
  };
}
