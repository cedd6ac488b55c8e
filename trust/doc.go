// Package trust decides what clients may do with pages. The MCP server asks [Guard] before anything is done, and
// reports to it what was sent.
//
// # What lives here
//
//   - [Guard] asks its deciders in turn (pauses, permissions for sites, rules, flow, rates). The first refusal ends
//     that. All reasons to ask a person are put into one question. The guard reports every decision.
//   - [Decider] and [Flow] are the interfaces of deciders, which are the fields of [Options], in a fixed order. A new
//     condition on the action alone belongs into package rules. What counts calls belongs beside [RateDecider]: rules
//     are asked several times about one call, rates once, and rates may only allow or refuse. The deciding packages below trust
//     are pure; what they remember while the hub runs is kept here.
//   - [Policy] decides by rules, which may be replaced while the hub runs. [FlowDecider] decides by comparing
//     what clients send with what they have read. [RateCounter] counts calls, and says when the next one may be made.
//   - permissions.go: what the user has chosen for whole sites ([Guard.Permit]). "Never" refuses, "Ask" asks before each
//     call that isn't read-only, and "Allow" takes the rules' questions away, but neither a rule that denies nor flow's
//     questions.
//   - [PinAsker] asks a client's user to accept tools that pins withhold.
//   - [DelimitAction] encloses pages' texts in results in random delimiters, which no page can forge ([DelimitText],
//     [DelimitResult]).
//   - asking.go makes the client ask its user while the call waits. It also makes the text of every refusal.
//
// # Promises
//
//   - An answer allows exactly the action that the question showed, once and for the client that was asked, unless the
//     person chose longer. An answer about a site or a pair of sites allows all actions of that kind. After a no nobody
//     is asked about the same site or pair for [approvals.Pause]. If the action has changed by then, it is refused.
//   - Nothing is allowed by accident. If a person would have to be asked and can't be, the action is refused, and the
//     hub's log says how to allow it. A refusal says who decided and why.
//   - The question about withheld tools goes to the client's user, never to the page. It shows everything that is
//     withheld of the site, so that a release of the site needs one answer, not one for each tool. The answer accepts exactly the definitions
//     that were shown. While the question is open, its client can do nothing else in the tab.
//   - A marked text has each delimiter exactly once, at its beginning and at its end, whatever the page writes.
//     Structured content and anything that isn't text to read stays unchanged. _meta names the origins
//     whose text the result contains.
//
// # Concurrency
//
// Any goroutine may call any method of a Guard or of a [PinAsker]. A RateCounter has no lock and no
// clock: its owner locks it and passes the time.
package trust
