package main

import "testing"

// TestNameHolder: a process whose id isn't known isn't called process -1.
func TestNameHolder(t *testing.T) {
	for holder, want := range map[int]string{-1: "another webmcp-hub process", 12: "the webmcp-hub process 12"} {
		if got := nameHolder(holder); got != want {
			t.Errorf("%d: got %q, want %q", holder, got, want)
		}
	}
}
