package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"webmcphub/cdpclient"
)

// quitting is how long a Chrome that hangs up may take to be gone.
const quitting = 2 * time.Second

// Watched is c.Wire, but its errors tell a Chrome that was closed ([cdpclient.ErrQuit])
// from one that crashed ([cdpclient.ErrCrashed]).
func (c *Chrome) Watched() cdpclient.Wire { return watchedWire{c.Wire, c} }

// LastID is as [Chrome.LastID].
func (w watchedWire) LastID() uint64 { return w.chrome.LastID() }

type watchedWire struct {
	cdpclient.Wire
	chrome *Chrome
}

func (w watchedWire) Read() ([]byte, error) {
	msg, err := w.Wire.Read()
	return msg, w.chrome.why(err)
}

func (w watchedWire) Write(msg []byte) error { return w.chrome.why(w.Wire.Write(msg)) }

// why says whether Chrome was closed, of an error of its wire.
func (c *Chrome) why(err error) error {
	if err == nil || errors.As(err, new(*cdpclient.TooLarge)) {
		return err
	}
	select {
	case <-c.Exited():
		if c.crashed() {
			return fmt.Errorf("%w (%w)", cdpclient.ErrCrashed, err)
		}
		return fmt.Errorf("%w (%w)", cdpclient.ErrQuit, err)
	case <-time.After(quitting):
	}
	return err
}

// crashed says, of a Chrome that has ended, whether nobody closed it. The exit code of a
// Chrome that was taken over isn't known; one that crashed leaves its lock in its profile.
func (c *Chrome) crashed() bool {
	if !c.adopted {
		return c.exitErr != nil
	}
	lock, err := os.Readlink(filepath.Join(c.UserDataDir, "SingletonLock")) // "host-pid"
	return err == nil && strings.HasSuffix(lock, fmt.Sprintf("-%d", c.PID))
}
