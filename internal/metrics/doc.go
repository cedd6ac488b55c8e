// Package metrics counts what the hub, or a process of a cluster, does. It serves the counts to a Prometheus server,
// the process's health to a load balancer, and its load to an autoscaler.
//
// # What lives here
//
//   - [Metrics] takes catalogs ([Metrics.Apply]) and finished calls ([Metrics.Called]), and counts them with
//     Prometheus' client library;
//   - [NewProcess] is the same for a node or a gateway, which reports its own state ([Process]);
//   - [Metrics.Handler] serves /metrics, /healthz, /readyz and /pressure.
//
// The listener (package mcpserver) decides who may ask.
//
// # Promises
//
//   - Neither a call nor the registry ever waits.
//   - No label has a value that a page or a client chose, so the number of series is fixed.
//
// # Concurrency
//
// All methods may be called from any goroutine.
package metrics
