// Package trust decides what clients may do with pages. The MCP server asks [Guard] before anything is done, and
// reports to it what was sent.
//
// # What lives here
//
//   - [Guard] asks its deciders in turn (pauses, rules, flow, rates). The first refusal ends that. All reasons to ask a
//     person are put into one question. The guard reports every decision.
//   - [Decider] and [Flow] are the interfaces of deciders. The packages below trust that decide are pure; this
//     package owns what they remember while the hub runs.
//   - [Policy] decides by rules, which may be replaced while the hub runs. [FlowDecider] decides by what clients have
//     read. [RateCounter] counts calls, and says when the next one may be made.
//   - [PinAsker] asks a client's user to accept tools that pins withhold.
//   - [Spotlight] puts delimiters that the page can't know around the texts of pages in results ([DelimitText],
//     [DelimitResult]).
//   - asking.go makes the client ask its user, while the call waits or, with protocol 2026-07-28, in rounds. It also
//     makes the text of every refusal.
//
// # Promises
//
//   - An answer allows one action, of the client that was asked, as the question showed it. If the action has changed
//     by then, it is refused.
//   - Nothing is allowed by accident. If a person would have to be asked and can't be, the action is refused, and the
//     refusal says how to allow it. A refusal says who decided and why.
//   - The question about withheld tools goes to the client's user, never to the page. It shows everything that is
//     withheld of the site, so that one answer covers a whole deployment. The answer accepts exactly the definitions
//     that were shown. While the question is open, its client can do nothing else in the tab.
//   - A marked text has each delimiter exactly once, at its beginning and at its end, whatever the page writes.
//     Structured content and anything that isn't text to read stays unchanged. _meta says whose words the whole
//     result contains.
//
// # Concurrency
//
// Any goroutine may call any method of a Guard or of a [PinAsker]. The owner of a RateLimit guards it; the time is an
// argument.
package trust
