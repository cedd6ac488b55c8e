// Package lint judges a page's tools by what was seen of them, without calling any.
// [Page] applies the rules of one table ([Rules]): names, descriptions, schemas,
// annotations, and the page as a whole. Each rule explains itself; docs/check.md is made
// of the table.
//
// All of it is pure, and may be called from any goroutine.
package lint
