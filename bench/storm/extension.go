package storm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"webmcphub/actors"
	"webmcphub/extlink"
	"webmcphub/registry/mcpserver"
)

// door is where the browser's extension looks for the hub.
type door struct {
	listener net.Listener
	token    string
}

// pairingToken is as long as a real one, and as good in a browser that nobody
// else uses.
const pairingToken = "a-token-for-storms-of-40-letters-and-mor"

func openDoor() (*door, error) {
	l, err := extlink.Listen(0)
	if err != nil {
		return nil, err
	}
	return &door{l, pairingToken}, nil
}

// file is the listener for another process.
func (d *door) file() (*os.File, error) {
	l, ok := d.listener.(*net.TCPListener)
	if !ok {
		return nil, errors.New("the extension's port can't be handed over")
	}
	return l.File()
}

// startLinked starts the project's hub behind a door, which it closes at its end.
func startLinked(d *door, t Tuning) inner {
	reach := &pages{}
	server := mcpserver.New(mcpserver.Options{}, reach)
	reach.hub = actors.Start(actors.Options{Publisher: server, Lazy: true, Extension: true, NotifyInterval: t.NotifyInterval, Settle: t.Settle})
	guard := extlink.NewGuard([]string{extlink.DefaultID}, d.token, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	paths := http.NewServeMux()
	paths.Handle("/{$}", guard.WebSocket(extlink.Extension, reach.hub.AddExtension))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- extlink.Serve(ctx, d.listener, guard, paths) }()
	return inner{server.ServeStdio, func(ctx context.Context) error {
		cancel()
		return errors.Join(<-served, reach.hub.Stop(ctx))
	}}
}

// pair tells the extension of the door, as its popup does, by the popup's own
// page, which stays.
func (d *chromeDriver) pair(ctx context.Context) error {
	url := "chrome-extension://" + extlink.DefaultID + "/popup.html"
	t := &tab{key: -1}
	if err := d.attachTo(ctx, t, url); err != nil {
		return err
	}
	port := d.way.listener.Addr().(*net.TCPAddr).Port
	script := fmt.Sprintf(`globalThis.chrome?.storage ? chrome.storage.local.set({token: %q, port: %d}).then(() => true) : false`, d.way.token, port)
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
