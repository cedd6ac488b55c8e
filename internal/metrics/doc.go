// Package metrics counts what the hub does, or a process of a cluster, and answers those
// who watch it: a Prometheus server, a load balancer, whatever starts more of them when
// one is busy.
//
// # What lives here
//
//   - [Metrics]: takes catalogs ([Metrics.Apply]) and calls that are over
//     ([Metrics.Called]), and counts them with Prometheus' client library;
//   - [NewProcess]: the same for a node or a gateway, which says itself how it stands
//     ([Process]);
//   - [Metrics.Handler]: /metrics, /healthz, /readyz and /pressure.
//
// Who may ask is not decided here, but by the listener (mcpserver/mcphttp).
//
// # Promises
//
//   - Neither a call nor the registry ever waits.
//   - No label has a value that a page or a client chose: the number of series is
//     fixed.
//
// # Concurrency
//
// Any goroutine may call any method.
package metrics
