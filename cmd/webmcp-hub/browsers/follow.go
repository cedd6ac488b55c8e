package browsers

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"webmcphub/actors"
	"webmcphub/internal/private"
	"webmcphub/internal/settings"
	"webmcphub/registry/names"
)

// Options say how to read and follow a file of --browsers.
type Options struct {
	File string // "" means no file: the browsers are always those given
	// Given are the browsers that the command line names; they come before those of the file.
	Given List
	// Grid has the browsers of a grid. They come after Given and before those of the file.
	Grid []actors.BrowserOptions
	// Lazy makes the hub connect to each browser only when a client asks for it.
	Lazy bool
	// Origins are the rules for all browsers. The rules of an entry narrow them.
	Origins *names.Origins
	Log     *slog.Logger
}

// Set holds the current browsers of a file and of the command line. Only one goroutine at a time may use it.
type Set struct {
	options Options
	was     settings.Stamp
	given   []actors.BrowserOptions
	now     []actors.BrowserOptions // given, then those of the file

	stop context.CancelFunc
	done chan struct{} // closed when no goroutine follows the file
}

// Open reads the file. It logs entries that are wrong, and uses the others.
func Open(o Options) (*Set, error) {
	given, err := o.Given.named(o.Lazy)
	if err != nil {
		return nil, err
	}
	given = append(given, o.Grid...)
	s := &Set{options: o, was: settings.StampOf(o.File), given: given, now: given, stop: func() {},
		done: make(chan struct{})}
	close(s.done)
	if o.File == "" {
		return s, nil
	}
	return s, s.read()
}

// Browsers returns the current browsers; never nil.
func (s *Set) Browsers() []actors.BrowserOptions { return s.now }

// Follow calls set with all browsers each time that the file has changed them, until Close. It returns at once. Call
// it once.
func (s *Set) Follow(set func([]actors.BrowserOptions)) {
	if s.options.File == "" {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.done = stop, make(chan struct{})
	go func() {
		defer close(s.done)
		settings.WatchFile(ctx, s.options.File, s.was, func() {
			if err := s.read(); err != nil {
				s.options.Log.Error("the file of --browsers is wrong now; the browsers stay as they were", "err", err)
				return
			}
			s.options.Log.Info("the file of --browsers was read again", "file", s.options.File, "browsers",
				len(s.now)-len(s.given))
			set(s.now)
		})
	}()
}

// Close ends Follow. It waits for a call of set that is under way.
func (s *Set) Close() {
	s.stop()
	<-s.done
}

// read takes the browsers from the file. If it returns an error, the browsers stay as they are.
func (s *Set) read() error {
	file, err := filepath.Abs(s.options.File)
	if err != nil {
		return err
	}
	text, err := private.ReadTrusted(file, MaxFile)
	if err != nil {
		return fmt.Errorf("--browsers: %w", err)
	}
	entries, err := parse(text, filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("--browsers: %s: %w", s.options.File, err)
	}
	now, wrong := s.options.taken(entries, s.given, s.now)
	for _, err := range wrong {
		s.options.Log.Error("an entry of --browsers is wrong; the others count", "file", s.options.File, "err", err)
	}
	s.now = now
	return nil
}

// taken returns the given browsers followed by those of the file. If an entry is wrong, an earlier browser of the
// same name stays as it was, unless the entry has rules for sites: the earlier rules may permit more.
func (o Options) taken(entries []entry, given, was []actors.BrowserOptions) (now []actors.BrowserOptions, wrong []error) {
	now = slices.Clone(given)
	named := func(in []actors.BrowserOptions, name string) int {
		return slices.IndexFunc(in, func(b actors.BrowserOptions) bool { return b.Name == name })
	}
	for _, e := range entries {
		b, err := o.browser(e)
		if err == nil {
			err = among(b, now, e.line)
		}
		if err == nil {
			now = append(now, b)
			continue
		}
		if e.Name != "" {
			err = fmt.Errorf("%w (browser %s)", err, e.Name)
		}
		wrong = append(wrong, err)
		if there := named(was, e.Name); there >= 0 && !e.ruled && named(now, e.Name) < 0 &&
			among(was[there], now, e.line) == nil {
			now = append(now, was[there])
		}
	}
	return now, wrong
}

// among returns an error if b can't be a browser beside others.
func among(b actors.BrowserOptions, others []actors.BrowserOptions, line int) error {
	for _, o := range others {
		switch {
		case o.Name == b.Name:
			return fmt.Errorf("line %d: there is another browser with that name; each needs one of its own", line)
		case endpointOf(o) == endpointOf(b):
			return fmt.Errorf("line %d: its endpoint is that of the browser %s, too", line, o.Name)
		}
	}
	return nil
}

// browser returns the browser of an entry.
func (o Options) browser(e entry) (actors.BrowserOptions, error) {
	if e.err != nil {
		return actors.BrowserOptions{}, e.err
	}
	d, err := e.Dialer()
	if err != nil {
		return actors.BrowserOptions{}, err
	}
	b := actors.BrowserOptions{NamedBrowser: e.NamedBrowser, ConnectOptions: actors.ConnectOptions{Dialer: d, Lazy: o.Lazy},
		Key: e.key()}
	if e.rules != nil {
		if b.Origins, err = o.Origins.Narrowed(e.rules); err != nil {
			return b, fmt.Errorf("line %d: %w", e.line, err)
		}
		b.Key += ruled + string(b.Origins.Rules())
	}
	return b, nil
}

// ruled separates the endpoint and the rules for origins in a browser's key.
const ruled = "\x00origins\x00"

func endpointOf(b actors.BrowserOptions) string {
	endpoint, _, _ := strings.Cut(b.Key, ruled)
	return endpoint
}
