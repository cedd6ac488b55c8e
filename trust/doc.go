// Package trust decides what clients may do with pages. The MCP server asks [Guard] before it carries out an action,
// and reports to the guard what it sends to the client.
//
// # What lives here
//
//   - [Guard] asks its deciders in turn: pauses, permissions for sites, rules, flow, rates. After the first refusal
//     it asks no further decider. It puts the reasons to ask a person into one question, but asks separately about a
//     whole site and about a pair of sites. It reports every decision, unless all deciders allow the action silently.
//   - [Decider], [Flow] and [Limiter] are the interfaces of the deciders that [Options] has. A new condition that
//     looks only at the action (more exactly, at [rules.Subject]) belongs into package rules. A new limit that
//     counts calls belongs beside [RateDecider]. The guard asks the rules again after a person's answer. It doesn't
//     ask the rates again, because they would count the call twice. So rates can't ask a person: they only allow or
//     refuse.
//   - The deciding packages below trust are pure. This package keeps what they remember while the hub runs.
//   - [Policy] decides by rules, which may be replaced while the hub runs. [FlowDecider] decides by comparing what
//     clients send with what they have read. [RateCounter] counts calls, and says when the next one may be made.
//   - permissions.go: what the user has chosen for whole sites ([Guard.Permit]). "Never" refuses, "Ask" asks before
//     each call that isn't read-only, and "Allow" answers the questions of rules. "Allow" doesn't change a rule that
//     denies, and doesn't answer flow's questions.
//   - [PinAsker] asks a client's user to accept tools that pins withhold.
//   - [DelimitAction] puts delimiters around pages' texts in results ([DelimitText], [DelimitResult]). No page can
//     forge the delimiters, because they contain a random text.
//   - asking.go makes the client ask its user while the call waits. It also makes the text of every refusal.
//
// # Promises
//
//   - An answer allows exactly the action that the question showed, once and for the client that was asked, unless
//     the person chose longer. An answer about a site or a pair of sites allows all actions of that kind. If the
//     action's page or definition changes while the question is open, the guard refuses the action.
//   - After a no, the guard asks nobody about the same site or pair of sites for [approvals.Pause].
//   - Nothing is allowed by accident. If a person would have to be asked and can't be, the action is refused, and
//     the hub's log says how to allow it. A refusal says who decided and why.
//   - The question about withheld tools goes to the client's user, never to the page. It shows everything that is
//     withheld of the site, so a new version of the site needs one answer, not one for each tool. The answer accepts
//     exactly the definitions that the question showed. While the question is open, its client can do nothing else
//     in the tab.
//   - A delimited text has one delimiter at its beginning and one at its end, and none between them, whatever the
//     page writes. Structured content, and anything that isn't text to read, stays unchanged. _meta names the origin
//     whose text the result contains.
//
// # Concurrency
//
// Any goroutine may call any method of a [Guard] or of a [PinAsker]. A [RateCounter] has no lock and no clock: its
// owner locks it and passes the time.
package trust
