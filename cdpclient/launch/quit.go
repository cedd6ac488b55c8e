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

// quitting is how long a Chrome whose pipe has ended may take to exit.
const quitting = 2 * time.Second

// Watched returns c.Wire, with errors that say whether Chrome was closed ([cdpclient.ErrQuit]) or crashed
// ([cdpclient.ErrCrashed]).
func (c *Chrome) Watched() cdpclient.Wire { return watchedWire{c.Wire, c} }

// LastID returns what [Chrome.LastID] returns.
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

// why adds to an error of the wire whether Chrome was closed or crashed.
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

// crashed reports whether a Chrome that has ended crashed or was killed. The exit code of a Chrome that was taken over
// is unknown; if it crashed, its lock is still in its profile.
func (c *Chrome) crashed() bool {
	if !c.adopted {
		return c.exitErr != nil
	}
	lock, err := os.Readlink(filepath.Join(c.UserDataDir, "SingletonLock")) // "host-pid"
	return err == nil && strings.HasSuffix(lock, fmt.Sprintf("-%d", c.PID))
}
