// Package trust decides what clients may do with pages: the MCP server asks [Guard] before anything is done, and tells
// it what was sent.
//
// # What lives here
//
//   - [Guard] asks its deciders in turn (rules, pins, flow, rates), takes the strictest decision, has a person asked where
//     that is the outcome, and reports every decision;
//   - [Decider] and [Flow]: what a decider is. The packages below that decide are pure; this one owns what they remember
//     while the hub runs;
//   - [Policy] decides by rules, which may be replaced while the hub runs; [Flowing] decides by what clients have read;
//     [RateLimit] counts calls, and says when the next one may be tried;
//   - [PinAsker] asks a client's user to accept tools that pins withhold;
//   - [Spotlight] marks the texts of pages in results, with delimiters that the page can't know ([DelimitText],
//     [DelimitResult]);
//   - asking.go has the client ask its user, while the call waits or, with protocol 2026-07-28, in rounds.
//
// # Promises
//
//   - An answer allows one action, of the client that was asked, as the question showed it. If the action has changed by
//     then, it is refused.
//   - Nothing is allowed by accident: where a person would have to be asked and can't be, the action is refused, and the
//     refusal says how to allow it. A refusal names who decided and why.
//   - The question about withheld tools goes to the client's user, never to the page. It shows everything that is withheld
//     of the site, so that one answer covers a whole deploy. The answer accepts exactly the definitions that were shown.
//     While the question is open, its client can do nothing else in the tab.
//   - A marked text has its delimiters once each, at its beginning and its end, whatever the page says. Structured content
//     and what isn't text for a reader stay as they are; _meta says whose words the whole result has.
//
// # Concurrency
//
// Any goroutine may call any method of a Guard or of a [PinAsker]. Whoever has a RateLimit guards it; the time is an
// argument.
package trust
