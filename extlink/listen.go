package extlink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
)

// DefaultPort is the port at which the extension looks for the hub.
const DefaultPort = 8765

// RetryInterval is how often [Await] tries to open a port.
const RetryInterval = 5 * time.Second

// PortTakenError is [Listen]'s error if another program has the port.
type PortTakenError struct {
	Port int
	By   string // the program, or "another program"
}

// Error returns the text, which also says what to do.
func (e *PortTakenError) Error() string {
	return fmt.Sprintf("port %d is taken by %s; end it, or choose another port with --extension-port here and in "+
		"the extension", e.Port, e.By)
}

// Listen opens a port of this computer; port 0 means any free port. If another program has the port, the error is a
// [PortTakenError].
func Listen(port int) (net.Listener, error) {
	l, err := listen(port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &PortTakenError{port, cmp.Or(PortHolder(port), "another program")}
	}
	return l, err
}

func listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("port %d can't be opened: %w", port, err)
	}
	return l, nil
}

// Await waits until a port is free, and opens it. It returns nil without an error if ctx ends, and an error if it
// can't open the port for another reason.
func Await(ctx context.Context, port int) (net.Listener, error) {
	return await(ctx, func() (net.Listener, error) { return listen(port) })
}

func await(ctx context.Context, listen func() (net.Listener, error)) (net.Listener, error) {
	ticker := time.NewTicker(RetryInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, nil
		}
		if l, err := listen(); !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
}

// These limit a server for extensions. A proxy opens one connection for each tab, so there may be many.
const (
	maxConnections = 1024
	maxBody        = 4 << 10 // bytes; requests need no body
	httpLimit      = 5 * time.Second
)

// Serve serves paths on l, behind the guard, until ctx ends. It closes l. Connections that were upgraded belong to
// their owners.
func Serve(ctx context.Context, l net.Listener, g *Guard, paths *http.ServeMux) error {
	server := &http.Server{
		Handler:           http.MaxBytesHandler(g.Only(paths), maxBody),
		ReadHeaderTimeout: httpLimit,
		ReadTimeout:       httpLimit,
		WriteTimeout:      httpLimit,
		IdleTimeout:       httpLimit,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          slog.NewLogLogger(g.Logger.Handler(), slog.LevelDebug),
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(netutil.LimitListener(l, maxConnections))
	for range cap(g.shaking) { // waits for running handshakes, which end with ctx
		g.shaking <- struct{}{}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
