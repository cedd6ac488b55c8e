package commands

import "testing"

// TestEndIt: nobody is told to kill 0, which would end the shell that it is typed in.
func TestEndIt(t *testing.T) {
	for pid, want := range map[int]string{
		0:  "close the client that started it",
		12: "close the client that started it, or end it: kill 12",
	} {
		if got := endIt(pid); got != want {
			t.Errorf("%d: got %q, want %q", pid, got, want)
		}
	}
}
