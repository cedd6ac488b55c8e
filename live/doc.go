// Package live serves the hub's live page to its user: what agents do with which tab, and what waits for a person. A
// gateway with tenants has such a page for each of them.
//
// # What lives here
//
//   - [Server]: one page. It follows catalogs ([Server.Apply]) and calls ([Server.Watch]), asks its user
//     ([Server.Person]), and refuses what is paused ([Server.Paused]);
//   - [Site] serves over HTTP the one page that there is, or a list of tenants and the page of each below its name
//     ([Site.Serve]);
//   - [State]: what the page shows, in bounded memory. It is told what happens ([State.Step]), and gives what is to be shown
//     of it ([State.View]) by a [Filter]. [Masked] hides secrets in arguments and results; [Fields] makes a form of a tool's
//     schema. All of it is pure;
//   - page.go and its templates, one style sheet and one script: how it looks. Nothing is fetched from elsewhere, and what
//     pages and clients say goes through the templates as text, never as HTML;
//   - door.go: who may come in;
//   - events.go: server-sent events, at most ten a second, with the sections that changed;
//   - acts.go: what buttons do;
//   - picture.go: a tab's picture, and how a person operates it ([Screen]);
//   - subject.go: what is shown where the hub is for one page only.
//
// # Promises
//
//   - The page is the user's. Whoever comes in has had a link that is good once; the cookie for it can't be read by
//     scripts and isn't sent for other sites' requests, nor to other servers of this computer, as they don't know its path.
//   - Whatever changes something needs a form that this server made for this session and this very act on this very page,
//     sent by the page itself.
//   - Neither a call nor the registry waits for a viewer, and memory is bounded.
//
// # Concurrency
//
// Any goroutine may call any method of a Server or a Site. What a page knows is its book (book.go), which the goroutine
// of its owner alone touches; others tell it what to do with the book, or ask. Calls don't wake the owner: it does what
// they tell it at once if somebody asks, and within 20 ms if not. What a site knows, its visitors and pages, has such an
// owner, too. A State belongs to whoever guards it; the time is an argument.
package live
