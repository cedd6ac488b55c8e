package handover

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"webmcphub/registry/mcpserver/share"
)

// TestTakeOverOfNoChrome: what no owner says of a Chrome is not acted on. A process
// group that is killed by the number 0 or 1 is this process's own, or every one.
func TestTakeOverOfNoChrome(t *testing.T) {
	for _, note := range []string{`{}`, `{"pid":1,"owners":1}`, `{"pid":-7,"owners":1}`, `{"pid":7,"owners":0}`, `{"pid":7,"owners":9223372036854775807}`, `null`} {
		in, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		from, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = out.Close()
		c := &Chrome{Shared: true}
		if c.TakeOver(t.Context(), share.Files{Note: []byte(note), Open: []*os.File{from, to}}, "", nil, slog.New(slog.DiscardHandler)) {
			t.Errorf("%s was taken over", note)
		}
		if told, err := io.ReadAll(in); err != nil || len(told) > 0 {
			t.Errorf("%s was told %q (%v)", note, told, err)
		}
		_ = in.Close()
	}
}
