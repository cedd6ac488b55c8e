package extlink

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

// DefaultPort is where the extension looks for the hub.
const DefaultPort = 8765

// Listen opens a port of this computer; 0 is any. Where another program has
// it, the error names that, as far as the system tells.
func Listen(port int) (net.Listener, error) {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		who := holder(port)
		if who == "" {
			who = "another program"
		}
		return nil, fmt.Errorf("port %d is taken by %s; end that, or choose another port by --extension-port here and in the extension", port, who)
	}
	if err != nil {
		return nil, fmt.Errorf("port %d can't be opened: %w", port, err)
	}
	return l, nil
}

// Serve serves what paths has on l until ctx ends, behind the guard. It closes
// l; connections that were upgraded are their owners'.
func Serve(ctx context.Context, l net.Listener, g *Guard, paths *http.ServeMux) error {
	server := &http.Server{
		Handler:           g.Only(paths),
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	err := server.Serve(l)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
