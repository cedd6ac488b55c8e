// Package rules decides by rules that a user wrote what clients may do: which origin, tool, class, kind and client a
// rule is about, and whether it allows, asks or denies.
//
// # What lives here
//
//   - [Parse] reads one rule in a line, such as "origin=https://*.bank.example tool=transfer* class=destructive";
//
//   - [Set] has rules in their order, of which the first that matches decides ([Set.Decide]);
//
//   - [Preset] has rules that the hub knows by a name;
//
//   - [ReadFile] and [WatchFile] read rules from a YAML file, and again when it has changed. The file has one mapping with
//     the member rules, a list in which each item is one rule; errors name the line:
//
//     rules:
//
//   - deny: origin=https://*.bank.example tool=transfer*
//
//   - ask: {class: [destructive, unknown], kind: page}
//
//   - allow: https://shop.example
//
// # Promises
//
//   - The first rule that matches decides. What no rule matches is allowed.
//   - An action that concerns several origins (a navigation from one to another) is decided for each, and the strictest
//     decision counts.
//   - Deciding takes about the same time for 10 rules and for 10,000 of which each is about a site or a tool of its own.
//
// A Set is immutable. Any goroutine may use the package.
package rules
