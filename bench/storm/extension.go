package storm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"webmcphub/extlink"
)

// pair tells the extension of the door, as its popup does, by the popup's own
// page, which stays.
func (d *chromeDriver) pair(ctx context.Context) error {
	url := "chrome-extension://" + extlink.DefaultID + "/popup.html"
	t := &tab{key: -1}
	if err := d.attachTo(ctx, t, url); err != nil {
		return err
	}
	port := d.way.Listener.Addr().(*net.TCPAddr).Port
	script := fmt.Sprintf(`globalThis.chrome?.storage ? chrome.storage.local.set({token: %q, port: %d}).then(() => true) : false`, d.way.Token, port)
	paired := false
	for deadline := time.Now().Add(patience); !paired; {
		err := d.evaluate(ctx, t, script, &paired)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !paired && time.Now().After(deadline):
			return errors.Join(fmt.Errorf("the extension's popup did not load in %v", patience), err)
		}
	}
	return nil
}
