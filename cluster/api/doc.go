// Package api is what gateways and operators ask of nodes: the services and messages in node.proto, and the Go code
// that is made from it. After a change of node.proto run go generate.
package api

//go:generate go test -count=1 -run ^TestGenerated$ . -update
