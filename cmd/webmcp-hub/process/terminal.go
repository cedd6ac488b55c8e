package process

import (
	"fmt"
	"io"
	"os"
	"runtime"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/term"
)

// SayWhoIsAwaited tells a person who started the hub by hand what it waits for. It writes only if stdin is a
// terminal.
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

// SetupLine returns a command to copy that registers this program with an MCP client.
func SetupLine() string {
	self, err := os.Executable()
	if err != nil {
		self = "webmcp-hub"
	}
	return "claude mcp add webmcp -- " + quoted(self)
}

// quoted returns a word quoted for a shell.
func quoted(word string) string {
	if runtime.GOOS == "windows" {
		return `"` + word + `"` // no path contains a double quote on Windows
	}
	return shellescape.Quote(word)
}
