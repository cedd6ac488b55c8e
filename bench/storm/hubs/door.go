package hubs

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"webmcphub/actors"
	"webmcphub/extlink"
	"webmcphub/mcpserver"
)

// Door is where the browser's extension looks for the hub.
type Door struct {
	Listener net.Listener
	Token    string
}

// pairingToken is as long as a real one, and as good in a browser that nobody
// else uses.
const pairingToken = "a-token-for-storms-of-40-letters-and-mor"

// OpenDoor opens one.
func OpenDoor() (*Door, error) {
	l, err := extlink.Listen(0)
	if err != nil {
		return nil, err
	}
	return &Door{l, pairingToken}, nil
}

// file is the listener for another process.
func (d *Door) file() (*os.File, error) {
	l, ok := d.Listener.(*net.TCPListener)
	if !ok {
		return nil, errors.New("the extension's port can't be handed over")
	}
	return l.File()
}

// startLinked starts the project's hub behind a door, which it closes at its end.
func startLinked(d *Door, notifyInterval time.Duration) Hub {
	reach := &pages{}
	server := mcpserver.New(mcpserver.Options{}, reach)
	reach.hub = actors.Start(actors.Options{ConnectOptions: actors.ConnectOptions{Lazy: true}, Publisher: server,
		Extension: true, NotifyInterval: notifyInterval})
	guard := extlink.NewGuard([]string{extlink.DefaultID}, d.Token,
		slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	paths := http.NewServeMux()
	paths.Handle("/{$}", guard.WebSocket(extlink.Extension, reach.hub.AddExtension))
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- extlink.Serve(ctx, d.Listener, guard, paths) }()
	return Hub{server.ServeStdio, func(ctx context.Context) error {
		cancel()
		return errors.Join(<-served, reach.hub.Stop(ctx))
	}}
}
