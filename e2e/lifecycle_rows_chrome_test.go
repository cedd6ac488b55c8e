package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

const (
	connectionLost = `error: The connection to Chrome was lost while tool "…" ran; whether it took effect is unknown. The tools come back once Chrome is reconnected.`
	noChrome       = goneBegins + `no browser listens at … (connect: connection refused); start Chrome with --remote-debugging-port=… --user-data-dir=DIR --enable-features=WebMCP, where DIR is a profile of its own, or use --auto-connect` + goneEnds
	noAnswer       = goneBegins + `… did not answer like a Chrome with remote debugging (…); if remote debugging was allowed in chrome://inspect, use --auto-connect` + goneEnds
)

var chromeRows = []row{
	{
		page:   "Chrome is killed, and started again.",
		list:   "All its tools go. The hub looks for Chrome until it's back, and lists what is there then.",
		during: says(connectionLost),
		after:  says(noChrome),
		run: func(s *scene) {
			if s.on != native {
				needNPM(s.T)
			}
			s.attach(ownChromeWith(s.T, s.on == native))
			s.open()
			call := s.hangs()
			s.unseen()
			s.c.kill()
			s.during(call)
			s.unreachable("a")
			s.lists()
			profile := s.TempDir()
			again, err := launch(chromePath(s.T), profile, s.c.debugPort(), s.on == native)
			if err != nil {
				s.Fatal(err)
			}
			s.Cleanup(func() {
				again.kill()
				again.forget()
			})
			again.closeTabs(s.T)
			s.p = again.open(s.T, s.url())
			s.lists("a", "a_hangs")
			s.works("a")
		},
	},
	{
		page:   "The connection to Chrome is cut.",
		list:   "All its tools go. The hub connects again, and lists them.",
		during: says(connectionLost),
		after:  says(noAnswer),
		run: func(s *scene) {
			s.c = chromeFor(s.T, s.on)
			wire := cutter(s.T, strings.TrimPrefix(s.c.browserURL(), "http://"))
			s.h = startHub(s.T, "--browser-url", "http://"+wire.Addr().String())
			s.open()
			call := s.hangs()
			s.unseen()
			wire.cut()
			s.during(call)
			s.unreachable("a")
			s.lists()
			s.p.eval(`addTool({name: 'meanwhile'}), true`)
			wire.mend()
			s.lists("a", "a_hangs", "meanwhile")
			s.works("a")
			s.works("meanwhile")
		},
	},
}

// unreachable is stale once the hub has tried to connect again. Until then the
// agent is told that the connection was lost and is being re-established.
func (s *scene) unreachable(tool string) {
	s.Helper()
	<-s.h.changed
	poll(s.T, "the hub doesn't connect again", func() bool {
		said := textOf(s.h.call(s.tool(tool), nil))
		return !matches("… is gone: the connection to Chrome was lost (…) and is being re-established; try again in a moment.…", said)
	})
	s.after(tool)
	poke(s.h.changed)
}

// A wire passes connections on to Chrome until it's cut.
type wire struct {
	net.Listener
	to string

	mu   sync.Mutex
	down bool
	ends []net.Conn
	wg   sync.WaitGroup
}

func cutter(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, to: to}
	w.wg.Go(w.serve)
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
		w.wg.Wait()
	})
	return w
}

func (w *wire) serve() {
	for {
		from, err := w.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", w.to)
		if err != nil || !w.add(from, to) {
			_ = from.Close()
			if err == nil {
				_ = to.Close()
			}
			continue
		}
		for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
			w.wg.Go(func() {
				_, _ = io.Copy(way[0], way[1])
				_ = way[0].Close()
				_ = way[1].Close()
			})
		}
	}
}

func (w *wire) add(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.down {
		w.ends = append(w.ends, ends...)
	}
	return !w.down
}

// cut ends all connections, and those to come until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for _, end := range w.ends {
		_ = end.Close()
	}
	w.ends = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
