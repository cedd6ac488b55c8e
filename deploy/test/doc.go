// Package deploytest holds the files of deploy/ to the types and rules of the programs that read
// them: Kubernetes, Compose, Docker, and container runtimes.
//
// It is a module of its own, so that none of these programs' packages come near the hub's. "make
// deploytest" runs it, also as a part of "make test". What the files say about the hub itself (its
// flags, ports, paths and metrics) is checked where those are: in cmd/webmcp-hub-cluster.
package deploytest
