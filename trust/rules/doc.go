// Package rules decides what clients may do by rules that a user wrote. A rule says to which origin, tool, class, kind
// and client it applies, and what its [Outcome] is: it allows, asks or denies. Rules see only what is in [Subject].
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
// To add a condition, change conditionNames, [Rule], Rule.condition, Rule.matches and [Subject] here; subject in
// trust/policy.go; About, Subject, LookUp and Explain in cmd/webmcp-hub/policy/check.go; and docs/trust.md. A condition
// on a call's arguments puts a number into Subject, such as a length, and never their text.
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
