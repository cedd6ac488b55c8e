// Package batch carries out several calls that a client makes at once (call_webmcp_tools). It decides when each call
// may run, what a call takes from another's result, and what the client gets of the results.
//
// # What lives here
//
//   - [Plan]: which step may run ([Plan.Begin]). It is pure.
//   - References in arguments to results, {"$ref": "cart.items[0].id"} (template.go), and the paths in them (path.go,
//     value.go). They are pure.
//   - The answer to the whole call ([Plan.Answer]), also pure.
//
// # Promises
//
//   - Steps on one tab run one after another, in the given order. Steps on different tabs run at the same time. A step
//     whose tab is unknown before it runs waits for all steps before it, and all steps after it wait for it.
//   - A step that refers to another's result runs after that step, and only if that step succeeded.
//   - References are checked before anything runs: each must name an earlier step.
//   - What a batch keeps of its steps' results is bounded by [MaxKept].
//   - A batch that is cancelled begins no more steps, and ends when the running ones have ended.
//
// Package calls carries out the steps.
package batch
