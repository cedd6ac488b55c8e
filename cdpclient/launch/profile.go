package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// UsableProfile says why Chrome couldn't use a folder as its profile; Chrome itself would claim that the profile is
// in use. Chrome makes a folder that doesn't exist.
func UsableProfile(dir string) error {
	if _, err := os.ReadDir(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return unusable(dir, err)
	}
	probe, err := os.CreateTemp(dir, ".webmcp-hub-*")
	if err != nil {
		return unusable(dir, err)
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return unusable(dir, err)
	}
	return nil
}

func unusable(dir string, why error) error {
	return fmt.Errorf("Chrome can't use the profile %s (%w); see that the folder belongs to you and that you may "+
		"write to it, or choose another --user-data-dir", dir, why)
}
