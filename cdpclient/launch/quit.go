package launch

import (
	"errors"
	"fmt"
	"time"

	"webmcphub/cdpclient"
)

// quitting is how long a Chrome that hangs up may take to be gone.
const quitting = 2 * time.Second

// Watched is c.Wire, but its errors tell a Chrome that was closed ([cdpclient.ErrQuit])
// from one that crashed.
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
		if c.exitErr == nil {
			return fmt.Errorf("%w (%w)", cdpclient.ErrQuit, err)
		}
	case <-time.After(quitting):
	}
	return err
}
