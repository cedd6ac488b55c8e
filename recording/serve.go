package recording

import (
	"bytes"
	"context"
	"io"

	"webmcphub/internal/jsonrpc"
)

// Serve plays a session to the client that writes to in and reads from out, until in or ctx
// ends. A read that can't be interrupted keeps one goroutine until it returns.
func (p *Player) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	read := make(chan []byte)
	ended := make(chan error, 1)
	go func() {
		messages := jsonrpc.NewLineReader(in, maxLine)
		for {
			line, err := messages.Next()
			if err == jsonrpc.ErrLineTooLong {
				continue
			}
			if err != nil {
				ended <- err
				return
			}
			select {
			case read <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case line := <-read:
			if all := p.Receive(line); len(all) > 0 {
				if _, err := out.Write(append(bytes.Join(all, []byte("\n")), '\n')); err != nil {
					return err
				}
			}
		case err := <-ended:
			if err == io.EOF {
				return nil
			}
			return err
		case <-ctx.Done():
			return nil
		}
	}
}
