// Package batch carries out many calls that a client asks for at once
// (call_webmcp_tools): which may run when, what one takes of another's result, and what of
// their results the client wants.
//
// # What lives here
//
//   - [Plan]: which step may run, as [Plan.Step] from an [Event] to [Effect]s, pure;
//   - references of arguments to results, {"$ref": "cart.items[0].id"} (template.go), and
//     the paths in them (path.go, value.go), pure;
//   - the answer to the whole call ([Plan.Answer]), pure;
//   - [Run], which carries a plan out through a [Door].
//
// # Promises
//
//   - Steps on one tab run one after another, in the order in which they are given; steps
//     on different tabs run side by side. A step whose tab can't be told before it runs has
//     all steps before it end first, and those behind it wait for it.
//   - A step that refers to another's result runs after that one, and only if it succeeded.
//   - References are checked before anything runs: each names an earlier step.
//   - What a batch keeps of its steps' results is bounded by [MaxKept], whatever they are.
//   - A batch that is cancelled begins no more steps, and ends when those that run have.
package batch
