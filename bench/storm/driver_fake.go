package storm

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"webmcphub/bench/storm/hubs"
	"webmcphub/cdpclient"
	"webmcphub/cdpclient/cdptest"
)

// fakeDriver drives pages of a fake Chrome, by one goroutine.
type fakeDriver struct {
	s     Scenario
	known *known
	rand  *rand.Rand

	chrome *cdptest.Browser
	server *httptest.Server // for a hub elsewhere
	pages  []*fakePage      // the stormy ones come first
	next   int64            // key of the next page
	made   []stamp
	ops    int // acts of the mix

	changed atomic.Int64
}

// fakePage is what a page has.
type fakePage struct {
	tab     *cdptest.Page
	key     int64
	there   []bool
	version []int
	stamp   string // the name of the tool that is the last stamp, "" before it
}

func newFakeDriver(s Scenario, k *known, apart bool) *fakeDriver {
	d := &fakeDriver{s: s, known: k, rand: rand.New(rand.NewPCG(1, 2)), chrome: cdptest.New()}
	if apart {
		d.server = httptest.NewServer(d.chrome.Handler())
	}
	for range s.Pages {
		d.pages = append(d.pages, d.open())
	}
	return d
}

func (d *fakeDriver) browser() hubs.Browser {
	b := hubs.Browser{Dial: func(context.Context) (cdpclient.Wire, error) { return d.chrome.Connect(), nil }}
	if d.server != nil {
		b.Endpoint = "ws" + strings.TrimPrefix(d.server.URL, "http") + "/devtools/browser/cdptest"
	}
	return b
}

func (d *fakeDriver) changes() int64     { return d.changed.Load() }
func (d *fakeDriver) stamps() []stamp    { return d.made }
func (d *fakeDriver) cpu() time.Duration { return 0 }

func (d *fakeDriver) close() {
	d.chrome.Die()
	if d.server != nil {
		d.server.CloseClientConnections()
		d.server.Close()
	}
}

func (d *fakeDriver) truth() (map[string]int, error) {
	truth := map[string]int{}
	for _, p := range d.pages {
		for i, there := range p.there {
			if there {
				truth[toolName(p.key, i)] = p.version[i]
			}
		}
		if p.stamp != "" {
			truth[p.stamp] = 0
		}
	}
	return truth, nil
}

// open opens a tab that registers all its tools.
func (d *fakeDriver) open() *fakePage {
	p := &fakePage{key: d.next, there: make([]bool, d.s.Tools), version: make([]int, d.s.Tools)}
	d.next++
	p.tab = d.chrome.OpenPage(fmt.Sprintf("http://storm.test/%d", p.key))
	d.fill(p)
	return p
}

// fill registers the tools of a document that has none.
func (d *fakeDriver) fill(p *fakePage) {
	p.stamp = ""
	for i := range p.there {
		d.add(p, i)
	}
}

func (d *fakeDriver) add(p *fakePage, i int) {
	p.there[i] = true
	tool := cdptest.Tool{Name: toolName(p.key, i), Description: describe(p.version[i]), Schema: schema}
	if i == 0 {
		tool.Execute = func(_ context.Context, args json.RawMessage) (any, error) {
			var a struct{ Text string }
			err := json.Unmarshal(args, &a)
			return a.Text, err
		}
	}
	p.tab.Register(tool)
	d.changed.Add(1)
}

func (d *fakeDriver) remove(p *fakePage, i int) {
	p.there[i] = false
	p.tab.Unregister(toolName(p.key, i))
	d.changed.Add(1)
}

// stampPage notes how the page is now.
func (d *fakeDriver) stampPage(p *fakePage) stamp {
	at := d.known.now()
	name := stampName(p.key, at)
	if name == p.stamp { // within a microsecond
		return stamp{p.key, at}
	}
	p.tab.Register(cdptest.Tool{Name: name, Description: "version 0."})
	if p.stamp != "" {
		p.tab.Unregister(p.stamp)
		d.changed.Add(1)
	}
	d.changed.Add(1)
	p.stamp = name
	d.made = append(d.made, stamp{p.key, at})
	return stamp{p.key, at}
}

// find gives a tool of the page that is there, or isn't; -1 if there is none.
// The echoing one stays as it is.
func (d *fakeDriver) find(p *fakePage, there bool) int {
	n := len(p.there) - 1
	begin := d.rand.IntN(n)
	for k := range n {
		if i := 1 + (begin+k)%n; p.there[i] == there {
			return i
		}
	}
	return -1
}

// act does one thing of the mix to the page at a place. A full page can't add
// and an empty one can't take away: then the other happens.
func (d *fakeDriver) act(place int) {
	d.ops++
	p := d.pages[place]
	a := d.s.Mix.pick(d.rand)
	switch a {
	case actNavigate:
		p.tab.Reload()
		d.fill(p)
		return
	case actReopen:
		p.tab.Close()
		d.pages[place] = d.open()
		return
	}
	i := d.find(p, a != actAdd)
	switch {
	case i < 0 && a == actAdd:
		d.remove(p, d.find(p, true))
	case i < 0:
		d.add(p, d.find(p, false))
	case a == actAdd:
		d.add(p, i)
	case a == actRemove:
		d.remove(p, i)
	default:
		d.remove(p, i)
		if a == actUpdate {
			p.version[i]++
		}
		d.add(p, i)
	}
}

func (d *fakeDriver) storm(ctx context.Context) (time.Time, error) {
	var err error
	if d.s.Rate == 0 {
		err = d.flatOut(ctx)
	} else {
		d.paced(ctx)
	}
	for i := range d.s.Stormy { // so that the last change of each is a stamp
		d.stampPage(d.pages[i])
	}
	return time.Now(), err
}

func (d *fakeDriver) enough() bool { return d.s.Ops > 0 && d.ops >= d.s.Ops }

// flatOut changes pages as fast as the hub takes it in: all pages stamp after a
// window of changes, and the next but one waits until the hub has taken that in.
func (d *fakeDriver) flatOut(ctx context.Context) error {
	var last []stamp
	for place := 0; ctx.Err() == nil && !d.enough(); {
		acts := d.s.Window
		if d.s.Mix.Reopen > 0 { // a tab that is closed can't tell any more what was taken in
			acts, last = (d.s.Stormy+1)/2, nil
		}
		for end := d.changed.Load() + int64(d.s.Window); acts > 0 && d.changed.Load() < end && !d.enough(); acts-- {
			d.act(place % d.s.Stormy)
			place++
		}
		stamps := make([]stamp, d.s.Stormy)
		for i := range stamps {
			stamps[i] = d.stampPage(d.pages[i])
		}
		if last == nil && d.s.Mix.Reopen > 0 {
			last = stamps
		}
		for _, s := range last {
			if err := d.known.await(s); err != nil {
				return err
			}
		}
		last = stamps
	}
	return nil
}

// paced changes pages at a rate, and stamps one after the other.
func (d *fakeDriver) paced(ctx context.Context) {
	const tick = 2 * time.Millisecond
	every := stampEvery(d.s.Rate)
	clock := time.NewTicker(tick)
	defer clock.Stop()
	begin := time.Now()
	stamped, turn := begin, 0
	for done := 0; !d.enough(); {
		for due := int(time.Since(begin).Seconds() * d.s.Rate); done < due && !d.enough(); {
			before := d.changed.Load()
			d.act(d.rand.IntN(d.s.Stormy))
			done += int(d.changed.Load() - before)
		}
		if time.Since(stamped) >= every {
			stamped = stamped.Add(every)
			d.stampPage(d.pages[turn%d.s.Stormy])
			turn++
		}
		select {
		case <-clock.C:
		case <-ctx.Done():
			return
		}
	}
}
