//go:build race

package cluster

// raced has the programs be built with the race detector, as this one is.
const raced = true
