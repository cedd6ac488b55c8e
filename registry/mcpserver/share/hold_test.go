package share

import (
	"os"
	"testing"
)

func TestHold(t *testing.T) {
	dir := newDir(t)
	release, _, err := hold(dir, "a profile")
	if err != nil {
		t.Fatal(err)
	}
	if _, holder, err := hold(dir, "a profile"); err == nil || holder != os.Getpid() {
		t.Errorf("held by %d, %v", holder, err)
	}
	other, _, err := hold(dir, "another")
	if err != nil {
		t.Fatal(err)
	}
	other()
	release()
	release, _, err = hold(dir, "a profile")
	if err != nil {
		t.Fatal(err)
	}
	release()
}
