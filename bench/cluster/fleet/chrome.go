package fleet

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"webmcphub/cdpclient/cdptest"
)

// Chrome makes this process a fake Chrome, if a node started it with Chrome's arguments, and then doesn't return. It must
// be the first thing that a program does whose own path is given to nodes as that of Chrome.
func Chrome() {
	if !slices.Contains(os.Args, "--remote-debugging-pipe") {
		return
	}
	if err := chrome(os.NewFile(3, "commands"), os.NewFile(4, "answers")); err != nil {
		fmt.Fprintln(os.Stderr, "the fake Chrome:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// chrome speaks as Chrome does over a pipe, in messages that end with a zero, until the pipe is
// closed.
func chrome(in io.Reader, out io.Writer) error {
	b := cdptest.New()
	defer b.Die()
	b.OpenPage("about:blank")
	wire := b.Connect()
	defer wire.Close()
	go func() {
		for {
			msg, err := wire.Read()
			if err != nil {
				return
			}
			if _, err := out.Write(append(msg, 0)); err != nil {
				return
			}
		}
	}()
	for from := bufio.NewReader(in); ; {
		msg, err := from.ReadBytes(0)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := wire.Write(msg[:len(msg)-1]); err != nil {
			return err
		}
	}
}
