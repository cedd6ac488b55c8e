// Package replica is how a gateway comes to know what a node's pages offer. It is pure, on both
// sides: events in, effects out.
//
//	node:    catalogs ─▶ Source ─▶ Welcome, Whole, Changes, Pong ─▶ Mirror ─▶ Content ─▶ Events :gateway
//	                        ◀────── Hello, Got, Want, Ping ◀───────┘
//
// # What lives here
//
//   - [Source], at the node, which takes each catalog that is served and tells every gateway what
//     differs from what it was told before. What a gateway has it knows by one number, the version;
//   - [Mirror], at the gateway, one for each node: what the node's pages are, by names that no other
//     node can give ([Named]);
//   - [Events], which tell a registry.State of a page; [Find], by which the node finds the tool
//     that a gateway's call means.
//
// # How they talk
//
// A gateway opens a talk with Hello, and repeats that until it is answered. All that the node says
// in the talk carries the talk's name; what carries another name is late, and is passed over. The
// node counts its states by versions. It answers with what has changed since the version that the
// gateway has, or with the whole. From then on it sends Changes with each catalog that differs; the
// gateway confirms each by Got, and while two aren't confirmed, later changes are gathered into the
// next. The gateway pings at a steady pace, and Pong says which version the node has, and up to
// which it has told: so lost changes are noticed, and asked for by Want, and by Want again if a later ping
// is answered first: never by time alone, since on a slow way what was told would still be coming. Pings that aren't
// answered end the talk, unless parts of messages come ([Hearing]): then what is shown is hidden after [Bounds].Behind, as
// when changes are missing, what comes is kept back until a ping is answered that is not as old as [Bounds].Silence, and the talk goes on, however long the way takes for what it carries. A node that is another incarnation, or knows of no talk, is greeted anew. Where the way
// to a gateway is full, what could not be sent is told together with what comes later.
//
// A page that has changed within its document is told of by what differs (wire.Edit): what is said of the
// page, its frames, its offers, and its tools, each by the number that the node has given its
// definition, with those definitions that are new. Numbers aren't used twice, and an edit has all that has come
// since Changes.From: so it is right at any version between. Gateways of builds that take no
// edits get whole pages. What several gateways lack alike is encoded once.
//
// # Promises
//
// They hold whatever is lost, doubled, late or out of order, and whoever starts anew; property_test.go
// tries them with random orders of all that.
//
//   - A Mirror's content is always a state that its node had, in one incarnation of it.
//   - It never goes back to an earlier state of the incarnation while it has content.
//   - It hides what the node withdrew, at the latest: when the node's Changes arrive; [Bounds].Lost after
//     the link is known to be lost; [Bounds].Behind after a Pong told of what did not arrive; and, whatever
//     is slow or lost without a word, [Bounds.Stale] after it was withdrawn.
//   - After a quiet time it equals what the node has, if the way carries all of it, and a ping, within [Bounds].Silence
//     pings.
//   - A lost link that is back within [Bounds].Lost shows nowhere, and so does etcd's loss.
//   - A lease that has ended hides the node after [Bounds].Lease, though it may still talk.
//   - A call finds the tool with the content that its caller saw, in the same document, or is refused.
//   - A node can name no page or browser of another, and what it says beyond the limits is left out,
//     with the reason ([LeftOut]).
//   - A gateway keeps at most 32 MiB of a node, counted as the bytes of all texts and JSON of its pages, and
//     256 more for each page, frame, tool, resource, prompt and argument of one; besides 1,000 browsers. A node that
//     tells more has nothing shown, and isn't heeded for [Bounds].Refuse. An honest node counts the
//     same, and leaves out pages that have no room, until they have.
//
// The order of a node's pages in a Mirror is that in which they were opened, as in its own registry;
// a page that was closed and opened again while the gateway was away comes last.
//
// # Concurrency
//
// A Source or a Mirror belongs to one goroutine. What they give away is immutable.
package replica
