package main

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// gcPercent is Go's GOGC here: the heap is so small that the default
	// collects every few milliseconds of a storm.
	gcPercent = 400
	// memoryLimit in bytes makes the collector thrifty again where the heap is large.
	memoryLimit = 512 << 20
)

// tuneRuntime leaves half of the cores to Chrome, whose answers the hub mostly
// waits for: its own threads waking up beside it cost a call more than they
// bring (bench/README.md). What the environment says, GOMAXPROCS, GOGC and
// GOMEMLIMIT, goes before.
func tuneRuntime() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(max(1, runtime.GOMAXPROCS(0)/2))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
