// Package live serves the hub's live page to the hub's user. The live page shows what agents do with which tab, and
// what waits for a person. A gateway with tenants has one live page for each tenant.
//
// # What lives here
//
//   - [Server]: one live page. It follows catalogs ([Server.Apply]) and calls ([Server.Watch]), asks its user
//     ([Server.Person]), and refuses what the user has paused ([Pauses]).
//   - [Pages] serves live pages over HTTP: the only one, or a list of tenants and each tenant's live page below the
//     tenant's name ([Pages.Serve]).
//   - [State]: what the live page shows, in bounded memory. Events change it ([State.Step]), and a [Filter] selects
//     what is shown ([State.View]). [Masked] hides secrets in arguments and results. [Fields] makes a form from a
//     tool's schema. All of this is pure.
//   - page.go and its templates, one style sheet and two scripts: how the live page looks. The browser loads nothing
//     from other servers. The templates insert what web pages and clients say as text, never as HTML.
//   - questions.go: what a person is asked. details.go: what a call was, and where its time went.
//   - auth.go: who may see the live page.
//   - events.go: server-sent events, at most ten per second, with the sections that changed.
//   - acts.go: what buttons do.
//   - picture.go: a tab's picture, and how a person operates the tab ([Screen]).
//   - subject.go: what is shown if the hub is for one web page only, as with "webmcp-hub inspect".
//
// # Promises
//
//   - The live page is for the user only. A browser gets in with a link that works once. It then gets a cookie that
//     scripts can't read. The browser sends the cookie neither with requests of other sites nor to other servers of
//     this computer, because the cookie is for a path that those don't know.
//   - Whatever changes something needs a form that this server made for this session, this action and this live
//     page, and that the live page itself sent.
//   - Neither a call nor the registry waits for a viewer, and memory is bounded.
//
// # Concurrency
//
// Any goroutine may call any method of a Server or of Pages. What a Server knows is in its store (store.go), which has
// a lock. A call doesn't take the lock: it adds a function to the store's queue. The functions run before the next
// access to the store, or after 20 ms if there is no access. Only if a thousand functions wait does the call take the
// lock and run them. No such function blocks. What Pages knows (the visitors and the live pages) has a lock, too. The
// caller guards a State; the time is an argument.
package live
