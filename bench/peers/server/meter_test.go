package server

import "testing"

// What waits for disks is no work, and what a host takes for itself is.
func TestMachine(t *testing.T) {
	busy, all, err := machine("cpu  100 20 30 1000 50 1 2 3 7 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n")
	if busy != 156 || all != 1206 || err != nil {
		t.Errorf("%d of %d, %v", busy, all, err)
	}
	for _, wrong := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu 1 2 x 4 5 6 7 8"} {
		if _, _, err := machine(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}
