// Package rules decides by rules that a user wrote what clients may do: which origin,
// tool, class, kind and client a rule is about, and whether it allows, asks or denies.
//
// # What lives here
//
//   - [Parse]: one rule in a line, such as
//     "origin=https://*.bank.example tool=transfer* class=destructive";
//   - [Set]: rules in their order, of which the first that matches decides ([Set.Decide]);
//   - [Preset]: rules that the hub knows by a name;
//   - package file below reads rules from YAML.
//
// # Promises
//
//   - The first rule that matches decides. What no rule matches is allowed.
//   - A deed that concerns several origins (a navigation from one to another) is decided
//     for each, and the strictest decision counts.
//   - Deciding takes about the same time for 10 rules and for 10,000 of which each is
//     about a site or a tool of its own.
//
// The package is pure, and a Set is immutable.
package rules
