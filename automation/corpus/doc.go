// Package corpus holds pages that people really use, to test the browser tools with: pages of
// widget libraries, editors and frameworks from npm, and pages with the markup of well-known sites.
//
// # What lives here
//
//   - pages.go: the pages;
//   - pages/: their HTML; pages/src has the scripts that esbuild bundles with their packages;
//   - package.json and package-lock.json: the packages, with their versions. "make test" installs them;
//   - seen.js: what a person can read on a page, by the browser's own layout;
//   - compare.go: what a snapshot lacks of that, and what it shows that nobody sees. It is pure.
//
// TestCorpus of package automation tests this hub's tools with all of it.
//
// # Adding a page
//
// Put the HTML into pages/, its packages into package.json ("npm install --save-exact" in this
// folder), and a [Page] into [Pages]. Everything is served from the disk: nothing is fetched while
// the pages are used.
package corpus
