// Makes the parts of this folder. Most files add a factory to webmcpHub.parts: a function that makes a part from the parts before
// it. So the same files serve as content scripts, which share a scope and may run twice, and as one script over CDP.
webmcpHub.parts = {};

/**
 * Makes all parts, in the order of their files.
 * @param {Object<string, *>} [has] parts that exist already
 * @returns {Object<string, *>} the parts by name
 */
webmcpHub.makeParts = (has = {}) => {
  const made = { ...has };
  for (const [name, make] of Object.entries(webmcpHub.parts)) made[name] = make(made);
  return made;
};
