// Runs before shared/legacy-name.js for a hub with rules for origins. Chrome runs that by the frame's own address only, and whose page
// it is in counts as well; among the page's scripts the rules are not known. So frames whose page doesn't have their origin are spared: all that a
// page could do with this mark is to go without the name itself.
(() => {
  "use strict";
  if (parent === window || self.origin !== "null" && [...location.ancestorOrigins].every((origin) => origin === self.origin)) return;
  Object.defineProperty(self, "webmcpHubSparesThis", { configurable: true, value: true });
})();
