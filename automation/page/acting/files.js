// Which file input an element stands for, and whether it takes the files.
(hub) => {
  'use strict';

  const isFile = (element) => !!element && element.nodeName === 'INPUT' && element.type === 'file';

  // input finds the file input: the element itself, the one that it labels, or the only one inside it.
  hub.fileInput = (node) => {
    const element = hub.element(node);
    if (!element || !element.isConnected) return null;
    if (isFile(element)) return element;
    const label = element.closest('label');
    if (label && isFile(label.control)) return label.control;
    const inside = (element.shadowRoot || element).querySelectorAll('input[type=file]');
    return inside.length === 1 ? inside[0] : null;
  };

  // takes says whether an accept attribute lets a file by its name and type through.
  hub.takes = (accept, name, type) => {
    const rules = accept.split(',').map((rule) => rule.trim().toLowerCase()).filter(Boolean);
    if (!rules.length) return true;
    name = name.toLowerCase();
    return rules.some((rule) => rule.startsWith('.') ? name.endsWith(rule)
      : rule.endsWith('/*') ? !type || type.startsWith(rule.slice(0, -1)) : !type || type === rule);
  };

  // wants says what a file input takes. files are { name, type }; a type that isn't known is ''.
  hub.wants = (input, files) => {
    if (!isFile(input)) return { state: 'nofile', by: hub.describe(input) };
    const off = hub.disabled(input);
    if (off) return { state: 'disabled', by: off };
    const refused = files.filter((file) => !hub.takes(input.accept, file.name, file.type)).map((file) => file.name);
    return { state: 'ready', multiple: input.multiple, directory: !!input.webkitdirectory, accept: input.accept, refused, what: hub.describe(input) };
  };

  // empty takes all files out of an input.
  hub.empty = (input) => {
    if (!input.files.length) return;
    input.value = '';
    hub.tell(input);
  };

  hub.holds = (input) => ({ state: input.isConnected ? 'ready' : 'detached', files: [...input.files].map((file) => file.name) });
}
