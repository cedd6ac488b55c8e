// Runs before shared/legacy-name.js for a hub with rules for origins. Chrome chooses frames for that script by their own address,
// but the rules also judge the page around a frame, and scripts in the page's world don't know the rules. So this script marks
// frames in pages of another origin, which legacy-name.js skips. A page that sets the mark itself only goes without the name.
(() => {
  "use strict";
  if (parent === window || self.origin !== "null" && [...location.ancestorOrigins].every((origin) => origin === self.origin)) return;
  Object.defineProperty(self, "webmcpHubSparesThis", { configurable: true, value: true });
})();
