package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"webmcphub/bench/machine"
)

// crowds are how many tabs are clicked in at once.
var crowds = []int{1, 4, 8, 16}

// Figures of clicks in so many tabs at once: how many a second, and what processor time one took.
func clicksOf(tabs int) figure  { return figure(fmt.Sprint("clicks in ", tabs)) }
func serverCPU(tabs int) figure { return clicksOf(tabs) + ", server's CPU" }
func chromeCPU(tabs int) figure { return clicksOf(tabs) + ", Chrome's CPU" }

// atOnce clicks in several tabs at once, for one client: one call in each tab at a time.
func (st *stand) atOnce(ctx context.Context) error {
	d := st.at.dialect
	for _, n := range crowds {
		tabs, err := st.c.several(ctx, n, st.c.light)
		if err != nil {
			return err
		}
		aims := make([]aim, n)
		for i, t := range tabs {
			if aims[i].page, err = d.arrive(ctx, st.s, t); err != nil {
				return err
			}
			if aims[i].ref, err = st.look(ctx, aims[i].page, "Count"); err != nil {
				return err
			}
		}
		var turn sync.Mutex // of clients that must choose a tab before they act in it
		err = clicking(ctx, st.c, tabs, st.v, st.s.cmd.Process.Pid, func(ctx context.Context, i int) (err error) {
			if d.mute && n > 1 {
				turn.Lock()
				defer turn.Unlock()
				if err := d.makeCurrent(ctx, st.s, aims[i].page); err != nil {
					return err
				}
				// Its names of elements are gone when the tab is chosen anew.
				if aims[i].ref, err = st.look(ctx, aims[i].page, "Count"); err != nil {
					return err
				}
			}
			_, err = d.must(ctx, st.s, opClick, aims[i])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// span is how long several tabs are clicked in.
const span = 2 * time.Second

// clicking clicks in all tabs until the time is up, and stores how many clicks a second
// the pages have counted, and what processor time they took: of a server (0 is none), and
// of the browser.
func clicking(ctx context.Context, c *chromium, tabs []*tab, v values, serverPID int,
	click func(ctx context.Context, i int) error) error {
	var before, after [2]machine.Usage
	read := func(to *[2]machine.Usage) (err error) {
		if to[0], err = machine.Tree(c.chrome.PID); err == nil && serverPID != 0 {
			to[1], err = machine.Tree(serverPID)
		}
		return err
	}
	if err := read(&before); err != nil {
		return err
	}
	begun := time.Now()
	counts, failed := make([]int, len(tabs)), make([]error, len(tabs))
	var all sync.WaitGroup
	for i := range tabs {
		all.Go(func() {
			for failed[i] == nil && time.Since(begun) < span {
				if failed[i] = click(ctx, i); failed[i] == nil {
					counts[i]++
				}
			}
		})
	}
	all.Wait()
	took := time.Since(begun).Seconds()
	if err := read(&after); err != nil {
		return err
	}
	sum := 0
	for i, t := range tabs {
		if failed[i] != nil {
			return failed[i]
		}
		if err := c.expect(ctx, t, "clicks", counts[i]); err != nil {
			return err
		}
		sum += counts[i]
	}
	n := len(tabs)
	v[clicksOf(n)] = float64(sum) / took
	v[chromeCPU(n)] = ms(after[0].CPU-before[0].CPU) / float64(sum)
	if serverPID != 0 {
		v[serverCPU(n)] = ms(after[1].CPU-before[1].CPU) / float64(sum)
	}
	return nil
}

// tabsInUse is how many tabs are in use when memory is read.
const tabsInUse = 50

// inUse reads the server's memory when a client has looked at each of many tabs and
// acted in it.
func (st *stand) inUse(ctx context.Context) error {
	tabs, err := st.c.several(ctx, tabsInUse, st.c.light)
	if err != nil {
		return err
	}
	for _, t := range tabs {
		page, err := st.at.dialect.arrive(ctx, st.s, t)
		if err != nil {
			return err
		}
		if _, err := st.look(ctx, page, "Count"); err != nil {
			return err
		}
		if _, err := st.at.dialect.must(ctx, st.s, opPress, aim{page: page, text: "a"}); err != nil {
			return err
		}
		if err := st.c.expect(ctx, t, "keys", 1); err != nil {
			return err
		}
	}
	return st.memory(ctx, rssInUse)
}
