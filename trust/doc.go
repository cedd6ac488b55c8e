// Package trust decides what clients may do with pages: [Guard] is what the MCP server
// asks before anything is done, and tells what was sent.
//
// # What lives here
//
//   - [Guard]: asks its deciders in turn (rules, pins, flow, rates), takes the strictest
//     of what they say, has a person asked where that is the outcome, and reports every
//     decision;
//   - [Decider] and [Flow]: what a decider is. The rooms that decide are pure; this one
//     owns what they remember while the hub runs;
//   - [Policy]: a decider by rules, which may be replaced while the hub runs;
//   - [Flowing]: a decider by what clients have read;
//   - [Spotlight]: marks pages' words in results;
//   - asking.go: has the client ask its user, while the call waits or in rounds.
//
// # Promises
//
//   - An answer allows one deed, of the client that was asked, as the question showed it;
//     if it has changed by then, it is refused.
//   - Nothing is allowed by accident: where a person would have to be asked and can't be,
//     the deed is refused, and the refusal says how to allow it.
//   - A refusal names who decided and why.
//
// # Concurrency
//
// Any goroutine may call any method of a Guard.
package trust
