// Package rules decides what clients may do by rules that a user wrote. A rule says to which origin, tool, class, kind
// and client it applies, and whether it allows, asks or denies. A rule knows nothing of a call's arguments.
//
// # What lives here
//
//   - [Parse] reads one rule in a line, such as "origin=https://*.bank.example tool=transfer* class=destructive".
//   - [Set] holds rules in their order. The first rule that matches decides ([Set.Decide]).
//   - [Preset] returns rules that the hub knows by a name.
//   - [ReadFile] and [WatchFile] read rules from a YAML file, and read them again when the file has changed. Errors
//     name the line.
//
// The file contains one mapping with the member rules, a list in which each item is one rule:
//
//	rules:
//	  - deny: origin=https://*.bank.example tool=transfer*
//	  - ask: {class: [destructive, unknown], kind: page}
//	  - allow: https://shop.example
//
// # Promises
//
//   - The first rule that matches decides. What no rule matches is allowed.
//   - If an action concerns several origins (a navigation from one to another), each is decided, and the strictest
//     decision counts.
//   - Deciding takes about the same time for 10 rules as for 10,000 of which each names a site or a tool of its own.
//
// A Set is immutable. Any goroutine may use the package.
package rules
