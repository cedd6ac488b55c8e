// Package live serves the hub's live page to the hub's user. The page shows what agents do with which tab, and what
// waits for a person. A gateway with tenants has one such page for each tenant.
//
// # What lives here
//
//   - [Server]: one page. It follows catalogs ([Server.Apply]) and calls ([Server.Watch]), asks its user
//     ([Server.Person]), and refuses what the user has paused ([Pauses]).
//   - [Site] serves pages over HTTP: the only page, or a list of tenants and each tenant's page below the tenant's
//     name ([Site.Serve]).
//   - [State]: what the page shows, in bounded memory. Events change it ([State.Step]), and a [Filter] selects what
//     is shown ([State.View]). [Masked] hides secrets in arguments and results. [Fields] makes a form from a tool's
//     schema. All of this is pure.
//   - page.go and its templates, one style sheet and two scripts: how the page looks. Nothing is loaded from
//     elsewhere. The templates insert what pages and clients say as text, never as HTML.
//   - questions.go: what a person is asked. details.go: what a call was, and where its time went.
//   - auth.go: who may see the page.
//   - events.go: server-sent events, at most ten per second, with the sections that changed.
//   - acts.go: what buttons do.
//   - picture.go: a tab's picture, and how a person operates the tab ([Screen]).
//   - subject.go: what is shown if the hub serves only one page.
//
// # Promises
//
//   - The page is for the user only. A browser gets in with a link that works once. It then gets a cookie that
//     scripts can't read. The browser sends the cookie neither with requests of other sites nor to other servers of
//     this computer, because those don't know the cookie's path.
//   - Whatever changes something needs a form that this server made for this session, this action and this page, and
//     that the page itself sent.
//   - Neither a call nor the registry waits for a viewer, and memory is bounded.
//
// # Concurrency
//
// Any goroutine may call any method of a Server or a Site. What a page knows is its store (store.go), which has a
// lock. Calls tell it actions, which are carried out as soon as somebody asks the store something, and otherwise within
// 20 ms. So a call takes the lock only if a thousand actions wait, and then carries them out; no action blocks. What a
// site knows, its visitors and pages, has a lock, too. The caller guards a State; the time is an argument.
package live
