package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"webmcphub/bench/peers/server"
)

// crowds are how many tabs are clicked in at once.
var crowds = []int{1, 2, 4, 8, 16}

func clicksOf(tabs int) figure { return figure(fmt.Sprint("clicks in ", tabs)) }

// several opens so many light pages, and no other.
func (c *chromium) several(ctx context.Context, n int) ([]*tab, error) {
	first, err := c.alone(ctx, c.light)
	tabs := []*tab{first}
	for err == nil && len(tabs) < n {
		var t *tab
		if t, err = c.light(ctx); err == nil {
			tabs = append(tabs, t)
		}
	}
	return tabs, err
}

// atOnce clicks in several tabs at once, for one client: one call in each tab at a time.
func (st *stand) atOnce(ctx context.Context) error {
	for _, n := range crowds {
		tabs, err := st.c.several(ctx, n)
		if err != nil {
			return err
		}
		aims := make([]aim, n)
		for i, t := range tabs {
			if aims[i].page, err = st.at.arrive(ctx, st.c, st.s, t); err != nil {
				return err
			}
			refs, err := st.look(ctx, aims[i].page, "Count")
			if err != nil {
				return err
			}
			aims[i].ref = refs[0]
		}
		var turn sync.Mutex // of clients that must choose a tab before they act in it
		err = st.clicking(ctx, st.c, tabs, st.v, st.s.Pid(), func(ctx context.Context, i int) error {
			if st.at.mute && n > 1 {
				turn.Lock()
				defer turn.Unlock()
				if err := st.at.makeCurrent(ctx, st.s, aims[i].page); err != nil {
					return err
				}
				// Its names of elements are gone when the tab is chosen anew.
				refs, err := st.look(ctx, aims[i].page, "Count")
				if err != nil {
					return err
				}
				aims[i].ref = refs[0]
			}
			_, err := st.at.must(ctx, st.s, opClick, aims[i])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clicking clicks in all tabs until the time is up, and stores how many clicks a second
// the pages have counted, and what processor time they took: of a server (0 is none), and
// of the browser.
func (o operating) clicking(ctx context.Context, c *chromium, tabs []*tab, v values, serverPID int,
	click func(ctx context.Context, i int) error) error {
	before, err := server.ReadMeter(serverPID, c.chrome.PID)
	if err != nil {
		return err
	}
	counts := make([]int, len(tabs))
	failed := make([]error, len(tabs))
	var all sync.WaitGroup
	begun := time.Now()
	for i := range tabs {
		all.Go(func() {
			for failed[i] == nil && time.Since(begun) < o.span {
				if failed[i] = click(ctx, i); failed[i] == nil {
					counts[i]++
				}
			}
		})
	}
	all.Wait()
	took := time.Since(begun).Seconds()
	after, err := server.ReadMeter(serverPID, c.chrome.PID)
	if err != nil {
		return err
	}
	sum := 0
	for i, t := range tabs {
		if failed[i] != nil {
			return failed[i]
		}
		if err := c.says(ctx, t, "clicks", counts[i]); err != nil {
			return err
		}
		sum += counts[i]
	}
	v[clicksOf(len(tabs))] = float64(sum) / took
	spent(v, len(tabs), sum, before, after)
	return nil
}

// inUse reads the server's memory when a client has looked at each of many tabs and
// acted in it.
func (st *stand) inUse(ctx context.Context) error {
	tabs, err := st.c.several(ctx, st.tabs)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		page, err := st.at.arrive(ctx, st.c, st.s, t)
		if err != nil {
			return err
		}
		if _, err := st.look(ctx, page, "Count"); err != nil {
			return err
		}
		if _, err := st.at.must(ctx, st.s, opPress, aim{page: page, text: "a"}); err != nil {
			return err
		}
		if err := st.c.says(ctx, t, "keys", 1); err != nil {
			return err
		}
	}
	select {
	case <-time.After(restTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	st.v[rssInUse], err = server.Memory(st.s.Pid())
	return err
}
