// Package hubs runs the hub that storms are blown at, in this process ([Here]) or in
// one of its own ([Apart]), and reads what it uses. Clients speak with it over pipes.
//
// A program that runs hubs apart must call [Child] first thing: the hub's process is
// that program once more.
package hubs
