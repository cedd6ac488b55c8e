package process

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/term"
)

// SayWhoIsAwaited tells a person who started the hub by hand why nothing
// happens. Only a terminal has one at its other end.
func SayWhoIsAwaited(stdin *os.File, out io.Writer) {
	if !term.IsTerminal(int(stdin.Fd())) {
		return
	}
	fmt.Fprintf(out, `webmcp-hub waits for an MCP client here, on its standard input. Clients start it themselves, once they know it:
  %s
docs/clients.md has the line for other clients. "webmcp-hub demo" shows what the hub does, "webmcp-hub tools" what a running
one offers, and "webmcp-hub --help" all else. Ctrl-C ends this.
`, SetupLine())
}

// SetupLine is a command that can be copied, and makes this program known to a client.
func SetupLine() string {
	self, err := os.Executable()
	if err != nil {
		self = "webmcp-hub"
	}
	return "claude mcp add webmcp -- " + quoted(self)
}

// quoted gives a word as a shell takes it.
func quoted(word string) string {
	if runtime.GOOS == "windows" {
		return `"` + word + `"` // which no path has in it
	}
	return shellescape.Quote(word)
}
