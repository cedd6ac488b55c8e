// Package lint judges a page's tools by what the check has seen of them, without calling any.
//
// # What lives here
//
//   - [Page] applies the rules of one table ([Rules]) to names, descriptions, schemas, annotations, and the page as
//     a whole. Each [Rule] explains itself, with a good and a bad example; docs/check.md is made of the table. A
//     [Finding] says where a page breaks a rule.
//   - [SeenPage] has what was seen of a page: its tools as it registered them, what Chrome and the hub refused of
//     them, and when they came and went. Package check/probe makes it. The page can forge everything in it.
//   - [CompileSchema] reads a JSON Schema that a page wrote, with patterns as JavaScript has them, and
//     [Schema.Validate] checks values against it. A page can write a schema that costs its reader all time and
//     memory. So CompileSchema refuses a schema that is larger than schemas for agents are ([ErrSchemaTooLarge]),
//     and work that can't be bounded beforehand ends with its context.
//   - [ChromeOwnership] says whose Chrome a page is checked in: one that the check started, or the user's. Its
//     methods say why a page can't be checked there, and what to do about that.
//
// All of it is pure, and any goroutine may call it.
package lint
