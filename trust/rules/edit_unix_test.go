//go:build unix

package rules

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestRemoveFromFileKeepsItsGroup: whoever could read the file, as the hub's user by its group, still can.
func TestRemoveFromFileKeepsItsGroup(t *testing.T) {
	groups, err := os.Getgroups()
	if os.Getuid() == 0 {
		groups = []int{4711}
	}
	other := slices.IndexFunc(groups, func(g int) bool { return g != os.Getegid() })
	if err != nil || other < 0 {
		t.Skip("this user has one group", err)
	}
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("rules:\n- allow: https://a.example\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, -1, groups[other]); err != nil {
		t.Fatal(err)
	}
	all, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := RemoveFromFile(path, all[0]); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || int(info.Sys().(*syscall.Stat_t).Gid) != groups[other] || info.Mode().Perm() != 0o640 {
		t.Error(info, err)
	}
}
