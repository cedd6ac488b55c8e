package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"webmcphub/cmd/webmcp-hub/process"
	"webmcphub/recording"
)

// RecordFlags say what "webmcp-hub record" writes.
type RecordFlags struct {
	File         string   `arg:"" type:"path" help:"The file to record to. A recording that is there already is kept as FILE.1."`
	RecordLimit  int      `default:"100" placeholder:"MIB" help:"The largest size of the recording in MiB. At this size recording stops; the session continues."`
	RecordMask   string   `enum:"secrets,all" default:"secrets" help:"Which arguments of calls to leave out. secrets: passwords, keys, card numbers and the like, by name, schema, value and the page's field. all: all arguments; the recording has their hash instead, as in the audit log."`
	RecordEmails bool     `help:"Leave out e-mail addresses, too."`
	RecordSecret []string `sep:"none" placeholder:"NAME" help:"Don't write the values of parameters of this name either. Repeatable."`
}

// maxLimit is the largest limit for a recording, in MiB: a TiB.
const maxLimit = 1 << 20

// Check returns an error for flags that contradict each other. stdio says whether the hub is served over stdin and
// stdout.
func (f RecordFlags) Check(stdio bool) error {
	switch {
	case !stdio:
		return errors.New("record goes with stdin and stdout only: it records the client there, not those over HTTP")
	case f.RecordLimit < 1 || f.RecordLimit > maxLimit:
		return fmt.Errorf("--record-limit must be from 1 to %d (MiB), not %d", maxLimit, f.RecordLimit)
	case f.RecordMask == string(recording.Everything) && len(f.RecordSecret) > 0:
		return errors.New("--record-mask=all leaves out all arguments, so that --record-secret does nothing")
	}
	return nil
}

// Between begins to record the client that writes to in and reads from out, and returns what the hub must use instead
// of them. Without a file to record to, it returns them unchanged.
func (f RecordFlags) Between(in io.Reader, out io.Writer, version string,
	log *slog.Logger) (io.Reader, io.Writer, func(), error) {
	if f.File == "" {
		return in, out, func() {}, nil
	}
	r, err := recording.Create(recording.Options{
		Path: f.File, MaxSize: int64(f.RecordLimit) << 20, Mask: recording.Mask(f.RecordMask), Names: f.RecordSecret,
		Emails: f.RecordEmails,
		By:     "webmcp-hub " + version, Logger: log,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	in, out = r.Tap(in, out)
	return in, out, r.Close, nil
}

// Replay serves a recording as an MCP server.
type Replay struct {
	File   string `arg:"" type:"path" help:"The recording to serve over stdin and stdout, made by \"webmcp-hub record\"."`
	Repeat bool   `env:"-" help:"Answer a call that is made more often than it was recorded with its last recorded answer. Default: such a call fails."`
}

// Run serves the recording until stdin ends.
func (c *Replay) Run() error {
	s, err := OpenRecording(c.File)
	if err != nil {
		return err
	}
	for _, what := range Shortcomings(s) {
		fmt.Fprintf(os.Stderr, "webmcp-hub: %s\n", what)
	}
	process.SurviveBrokenPipes()
	process.SayWhoIsAwaited(os.Stdin, os.Stderr)
	p := recording.NewPlayer(s, recording.ReplayOptions{Repeat: c.Repeat})
	err = p.Serve(context.Background(), process.Stdin(), os.Stdout)
	if n := p.Unknown(); n > 0 {
		fmt.Fprintf(os.Stderr, "webmcp-hub: %d of the client's requests are not in the recording\n", n)
	}
	return err
}

// OpenRecording reads a recording.
func OpenRecording(path string) (*recording.Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the recording can't be read: %w", err)
	}
	defer f.Close()
	s, err := recording.Read(f)
	if err != nil {
		return nil, fmt.Errorf("the recording %s can't be used: %w", path, err)
	}
	return s, nil
}

// Shortcomings says what a recording lacks, each in one line.
func Shortcomings(s *recording.Session) (all []string) {
	if s.Cut {
		all = append(all, "the recording's last line was cut off and is left out")
	}
	if s.Full {
		all = append(all, "the recording reached its limit (--record-limit) before the session ended")
	}
	if s.Lost > 0 {
		all = append(all, fmt.Sprintf("the recording lacks %d messages, which came faster than they could be written",
			s.Lost))
	}
	return all
}
