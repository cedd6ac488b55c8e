// Package person makes sure that a person grants something, and not an agent that can run commands.
//
// # What lives here
//
//   - [Flags.Confirm]: asks the person at the terminal for a code, which a hub's live page shows or, without one, a
//     dialog on the desktop. An agent's shell has no terminal, and its output doesn't show the code.
//   - dialog.go: the dialog.
//
// # Promises
//
//   - Nothing is granted without a terminal, unless the owner of a hub that runs has set [ScriptsVariable] for it.
//   - This doesn't stop a program that operates a terminal and also the screen or the live page, as every program of
//     the same user can. Nor does it stop one that writes the hub's files. docs/pins.md says so.
package person

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"webmcphub/cmd/webmcp-hub/livepage"
	"webmcphub/live"
)

// ScriptsVariable is the environment variable by which the owner of a hub lets scripts grant what people grant
// otherwise. It must be 1 when the hub starts.
const ScriptsVariable = "WEBMCP_HUB_SCRIPTS_GRANT"

// ScriptsGrant reports whether ScriptsVariable is set.
func ScriptsGrant() bool { return os.Getenv(ScriptsVariable) == "1" }

// Flags are the flags of commands that grant something.
type Flags struct {
	IAmAPerson bool `name:"i-am-a-person" env:"-" help:"For scripts: don't ask for a code. This needs a running hub that was started with the environment variable WEBMCP_HUB_SCRIPTS_GRANT=1."`
}

// ErrRefused is returned if the person did not type the code.
var ErrRefused = errors.New("that is not the code, so nothing was changed")

// Confirm returns nil if a person at the terminal wants what text says. Lines of text that begin with a bar are
// another's words. scripts reports whether a hub runs whose owner lets scripts grant.
func (f Flags) Confirm(ctx context.Context, text string, scripts func() bool) error {
	switch {
	case f.IAmAPerson && scripts():
		return nil
	case f.IAmAPerson:
		return fmt.Errorf("--i-am-a-person counts only while a hub runs that was started with %s=1", ScriptsVariable)
	case !term.IsTerminal(int(os.Stdin.Fd())):
		return errors.New("only a person can do this, in a terminal. If you are an agent, ask your user")
	}
	fmt.Fprintln(os.Stderr, text)
	return confirm(ctx, text, os.Stdin, os.Stderr)
}

// confirm asks for the code of the first live page that can show one, or of a dialog.
func confirm(ctx context.Context, text string, in io.Reader, out io.Writer) error {
	read := func(where string) func() (string, error) {
		return func() (string, error) {
			fmt.Fprintf(out, "Type the code that %s shows: ", where)
			line, err := bufio.NewReader(in).ReadString('\n')
			if err != nil {
				return "", ErrRefused
			}
			return strings.TrimSpace(line), nil
		}
	}
	judge := func(right bool, err error) error {
		if err == nil && !right {
			return ErrRefused
		}
		return err
	}
	pages, err := livepage.All(ctx, 0)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if page.About == "" {
			where := fmt.Sprintf("the hub's live page (\"webmcp-hub ui --hub=%d\" opens it)", page.PID)
			return judge(page.Ask(ctx, text, read(where)))
		}
	}
	code := live.NewCode()
	closed, err := dialog(ctx, "Code: "+code+"\n\nType it in the terminal if it is you who wants this:\n\n"+text)
	if err != nil {
		return fmt.Errorf("there is nothing that could show you a code: no hub with a live page runs (start one with "+
			"--ui), and %w", err)
	}
	defer closed()
	typed, err := read("the dialog")()
	return judge(live.SameCode(code, typed), err)
}
