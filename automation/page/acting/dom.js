// The tree as a person sees it: shadow roots joined to their hosts, slotted nodes to their slots.
(hub) => {
  'use strict';

  // element returns the element that a node stands for: a text's parent, a document's root element.
  hub.element = (node) => {
    if (!node) return null;
    if (node.nodeType === Node.DOCUMENT_NODE) return node.documentElement;
    if (node.nodeType === Node.ELEMENT_NODE) return node;
    return node.parentElement || (node.parentNode instanceof ShadowRoot ? node.parentNode.host : null);
  };

  hub.rootOf = (element) => element.getRootNode();

  hub.parent = (element) => {
    if (element.parentElement) return element.parentElement;
    const root = element.parentNode;
    return root instanceof ShadowRoot ? root.host : null;
  };

  // flatParent returns the parent in the tree that the browser draws. assignedSlot doesn't return slots of closed
  // shadow roots, so flatParent looks for the slot in the roots given.
  hub.flatParent = (element, roots) => {
    if (element.assignedSlot) return element.assignedSlot;
    const host = element.parentElement;
    if (host) {
      for (const root of roots || []) {
        if (root.host !== host) continue;
        for (const slot of root.querySelectorAll('slot'))
          if (slot.assignedNodes().includes(element)) return slot;
      }
    }
    return hub.parent(element);
  };

  // roots returns the shadow roots around an element and its document, innermost first.
  hub.roots = (element) => {
    const all = [];
    for (let at = element; at;) {
      const root = hub.rootOf(at);
      all.push(root);
      at = root instanceof ShadowRoot ? root.host : null;
    }
    return all;
  };

  hub.closest = (element, selector) => {
    for (let at = element; at; at = hub.parent(at)) if (at.matches(selector)) return at;
    return null;
  };

  const typable = (element) => element.matches('input, textarea, select') || element.isContentEditable;

  // pressed returns the element that a press on this one is meant for: the button or link around it, if there is one.
  hub.pressed = (element) =>
    typable(element) ? element : hub.closest(element, 'button, [role=button], a, [role=link]') || element;

  // control returns the form control that an element stands for: for a label, the labelled control.
  hub.control = (element) => {
    if (typable(element)) return element;
    const own = element.closest('button, [role=button], [role=checkbox], [role=radio], [role=switch], [role=menuitemcheckbox], [role=menuitemradio], option, a, [role=link]');
    if (own) return own;
    const label = element.closest('label');
    return (label && label.control) || element;
  };

  // describe returns a short description of an element for an error's text.
  hub.describe = (element) => {
    if (!element) return 'nothing';
    const clip = (text, most) => (text.length > most ? text.slice(0, most - 1) + '…' : text);
    let tag = element.nodeName.toLowerCase();
    for (const name of ['id', 'class', 'role', 'aria-label', 'type', 'name']) {
      const value = element.getAttribute && element.getAttribute(name);
      if (value) tag += ` ${name}="${clip(value.trim().replace(/\s+/g, ' '), 40)}"`;
    }
    const frame = element.nodeName === 'IFRAME' || element.nodeName === 'FRAME';
    if (frame && /^https?:/.test(element.src)) tag += ` src="${clip(new URL(element.src).origin, 100)}"`; // the rest may have secrets
    const text = frame ? '' : clip((element.textContent || '').slice(0, 400).trim().replace(/\s+/g, ' '), 40);
    return clip(`<${tag}>`, 160) + (text ? ` "${text}"` : '');
  };
}
