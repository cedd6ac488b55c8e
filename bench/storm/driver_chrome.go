package storm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"webmcphub/bench/machine"
	"webmcphub/bench/storm/hubs"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/launch"
)

// chromeDriver drives pages of a real Chrome. What a page does in itself, it
// does by its own script; the driver reloads, closes and opens.
type chromeDriver struct {
	s     Scenario
	known *known

	chrome *launch.Chrome
	at     string     // the browser's websocket
	way    *hubs.Door // the extension's, if it is that
	pipe   *cdpclient.Conn
	conn   *cdpclient.Conn // the driver's own
	web    *httptest.Server

	pages []*tab
	next  int64
	old   pageState // of tabs that were closed

	changed atomic.Int64 // what is known before the end
}

// pageState is what a page tells of itself.
type pageState struct {
	Changes int64
	Stamps  []int64
	made    []stamp // the same, of any page
}

func newChromeDriver(ctx context.Context, s Scenario, k *known, o Options) (*chromeDriver, error) {
	args := []string{
		"--remote-debugging-port=0", "--disable-gpu",
		// Tabs in the background are not to be slower than the one in front.
		"--disable-background-timer-throttling", "--disable-renderer-backgrounding",
		"--disable-backgrounding-occluded-windows",
	}
	bundle := ""
	if o.Runtime == MCPB {
		args = append(args, "--disable-features=WebMCP,WebMCPTesting") // goes before what is enabled
		var err error
		if bundle, err = findBundle(); err != nil {
			return nil, err
		}
	}
	var way *hubs.Door
	if o.Runtime == Extension {
		dir, err := findUpwards("extension", "manifest.json")
		if err != nil {
			return nil, fmt.Errorf("the browser's extension: %w", err)
		}
		if way, err = hubs.OpenDoor(); err != nil {
			return nil, err
		}
		args = append(args, "--load-extension="+filepath.Dir(dir))
	}
	chrome, err := launch.Start(ctx, launch.Options{Headless: true, Args: args})
	if err != nil {
		if way != nil {
			_ = way.Listener.Close() // nobody listens yet
		}
		return nil, err
	}
	d := &chromeDriver{s: s, known: k, chrome: chrome, way: way, web: servePages(bundle)}
	d.pipe = cdpclient.NewConn(chrome.Wire, func(cdpclient.Message) {})
	if err := d.open(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// open connects and opens the pages.
func (d *chromeDriver) open(ctx context.Context) (err error) {
	for deadline := time.Now().Add(patience); d.at == ""; {
		if d.at, err = cdpclient.ActivePortURL(d.chrome.UserDataDir); err != nil && time.Now().After(deadline) {
			return err
		}
	}
	wire, err := cdpclient.DialWebSocket(ctx, d.at, nil)
	if err != nil {
		return err
	}
	d.conn = cdpclient.NewConn(wire, func(cdpclient.Message) {})
	if err := d.openPages(ctx); err != nil {
		return err
	}
	if d.way != nil {
		if err := d.pair(ctx); err != nil {
			return err
		}
	}
	return d.closeOthers(ctx)
}

// atOnce is how many pages are opened, reloaded or reopened side by side.
const atOnce = 4

// openPages opens the pages that the storm begins with.
func (d *chromeDriver) openPages(ctx context.Context) error {
	d.pages = make([]*tab, d.s.Pages)
	d.next = int64(d.s.Pages)
	failed := make([]error, atOnce)
	var all sync.WaitGroup
	for opener := range atOnce {
		all.Go(func() {
			for i := opener; i < d.s.Pages && failed[opener] == nil; i += atOnce {
				d.pages[i], failed[opener] = d.openTab(ctx, int64(i))
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// closeOthers closes the tab that Chrome begins with.
func (d *chromeDriver) closeOthers(ctx context.Context) error {
	var r cdpclient.GetTargetsResult
	if err := d.conn.Call(ctx, "", cdpclient.TargetGetTargets, nil, &r); err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, t := range d.pages {
		ours[t.target] = true
	}
	for _, t := range r.TargetInfos {
		if t.Type == cdpclient.TypePage && !ours[t.TargetID] {
			if err := d.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]string{"targetId": t.TargetID},
				nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *chromeDriver) browser() hubs.Browser {
	return hubs.Browser{Endpoint: d.at, Door: d.way, Dial: func(ctx context.Context) (cdpclient.Wire, error) {
		return cdpclient.DialWebSocket(ctx, d.at, nil)
	}}
}

func (d *chromeDriver) changes() int64  { return d.changed.Load() }
func (d *chromeDriver) stamps() []stamp { return d.old.made }

func (d *chromeDriver) cpu() time.Duration {
	u, _ := machine.Tree(d.chrome.PID) // nothing if it has crashed, which the run sees
	return u.CPU
}

func (d *chromeDriver) close() {
	if d.conn != nil {
		_ = d.conn.Close() // the browser ends all the same
		<-d.conn.Done()
	}
	_ = d.pipe.Close()
	<-d.pipe.Done()
	_ = d.chrome.Close()
	if d.way != nil {
		_ = d.way.Listener.Close() // the hub's process had its own
	}
	d.web.CloseClientConnections()
	d.web.Close()
}

func (d *chromeDriver) truth() (map[string]int, error) {
	truth := map[string]int{}
	for _, t := range d.pages {
		var tools [][2]json.RawMessage
		if err := d.evaluate(context.Background(), t, `truth()`, &tools); err != nil {
			return nil, err
		}
		for _, pair := range tools {
			var name string
			var version int
			if err := errors.Join(json.Unmarshal(pair[0], &name), json.Unmarshal(pair[1], &version)); err != nil {
				return nil, err
			}
			truth[name] = version
		}
	}
	return truth, nil
}

// storm lets the pages storm, and reloads and reopens them as the mix says.
func (d *chromeDriver) storm(ctx context.Context) (time.Time, error) {
	begun := d.known.now()
	before, err := d.sum()
	if err != nil {
		return time.Time{}, err
	}
	if d.s.Mix.Navigate+d.s.Mix.Reopen > 0 {
		err = d.turnOver(ctx)
	} else {
		err = d.stormInside(ctx)
	}
	if err != nil {
		return time.Time{}, err
	}
	ended, err := d.stop()
	if err != nil {
		return time.Time{}, err
	}
	after, err := d.sum()
	if err != nil {
		return time.Time{}, err
	}
	d.changed.Store(after.Changes - before.Changes)
	d.old.made = nil
	for _, s := range after.made {
		if s.at >= begun {
			d.old.made = append(d.old.made, s)
		}
	}
	return ended, nil
}

// stormInside has pages change until ctx ends.
func (d *chromeDriver) stormInside(ctx context.Context) error {
	m := d.s.Mix
	o, err := json.Marshal(map[string]any{"rate": d.s.Rate / float64(d.s.Stormy),
		"weights":    []int{m.Add, m.Remove, m.Update, m.FlipFlop},
		"stampEvery": float64(d.s.Stormy) * millis(stampEvery(d.s.Rate))})
	if err != nil {
		return err
	}
	for _, t := range d.pages[:d.s.Stormy] {
		if err := d.evaluate(ctx, t, fmt.Sprintf(`start(%s)`, o), nil); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// stop ends all pages' storms side by side and gives the time of the last change.
func (d *chromeDriver) stop() (ended time.Time, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, t := range d.pages {
		all.Go(func() {
			var at float64
			e := d.evaluate(context.Background(), t, `stop()`, &at)
			mu.Lock()
			defer mu.Unlock()
			err = errors.Join(err, e)
			if end := time.UnixMicro(int64(at * 1000)); end.After(ended) {
				ended = end
			}
		})
	}
	all.Wait()
	// Its monotonic twin, which other times are compared with.
	now := time.Now()
	return now.Add(-now.Round(0).Sub(ended)), err
}

// sum adds up what all pages have done.
func (d *chromeDriver) sum() (sum pageState, err error) {
	sum.Changes = d.old.Changes
	for _, t := range d.pages {
		s, err := d.state(t)
		if err != nil {
			return sum, err
		}
		sum.Changes += s.Changes
		sum.made = append(sum.made, s.made...)
	}
	return sum, nil
}

func (d *chromeDriver) state(t *tab) (s pageState, err error) {
	err = d.evaluate(context.Background(), t, `kept`, &s)
	for _, at := range s.Stamps {
		s.made = append(s.made, stamp{t.key, at})
	}
	return s, err
}

// turnOver reloads pages, or closes and opens them, atOnce at a time, as fast as they load.
func (d *chromeDriver) turnOver(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex // guards pages, next and old
	var ops atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, atOnce)
	for turner := range min(atOnce, d.s.Stormy) {
		all.Go(func() {
			for place := turner; ctx.Err() == nil && (d.s.Ops == 0 || ops.Add(1) <= int64(d.s.Ops)); {
				if failed[turner] = d.turn(&mu, place); failed[turner] != nil {
					stop()
					return
				}
				if place += atOnce; place >= d.s.Stormy {
					place = turner
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

// turn reloads or reopens one page. It isn't interrupted.
func (d *chromeDriver) turn(mu *sync.Mutex, place int) error {
	ctx := context.Background()
	mu.Lock()
	t := d.pages[place]
	mu.Unlock()
	if d.s.Mix.Navigate > 0 {
		if err := d.evaluate(ctx, t, `registered = false`, nil); err != nil {
			return err
		}
		if err := d.conn.Call(ctx, t.session, cdpclient.PageReload, map[string]any{}, nil); err != nil {
			return err
		}
		d.changed.Add(int64(d.s.Tools) + 1)
		return d.ready(ctx, t)
	}
	s, err := d.state(t)
	if err != nil {
		return err
	}
	if err := d.conn.Call(ctx, "", cdpclient.TargetCloseTarget, map[string]string{"targetId": t.target},
		nil); err != nil {
		return err
	}
	mu.Lock()
	d.old.Changes += s.Changes
	key := d.next
	d.next++
	mu.Unlock()
	fresh, err := d.openTab(ctx, key)
	if err != nil {
		return err
	}
	d.changed.Add(int64(d.s.Tools) + 1)
	mu.Lock()
	d.pages[place] = fresh
	mu.Unlock()
	return nil
}
