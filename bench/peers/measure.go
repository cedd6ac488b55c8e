package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"webmcphub/bench/peers/server"
	"webmcphub/cdpclient"
)

// plan is how much is measured.
type plan struct {
	rounds  int
	calls   int           // of a page's tool, at most
	calling time.Duration // and for at most so long
	changes int           // registrations
	tabs    int
}

const (
	warmup = 5
	// restTime is how long a server is left alone before its memory is read.
	restTime = 2 * time.Second
	// toEnd is how long a server may take to end.
	toEnd = 10 * time.Second
)

// measure runs one server from its start to its end.
func (p plan) measure(ctx context.Context, c *chromium, at *peer) (values, error) {
	dir, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	first, err := c.only(ctx)
	if err != nil {
		return nil, err
	}
	s, err := server.Start(dir, at.command(c))
	if err != nil {
		return nil, err
	}
	v := values{}
	err = p.all(ctx, c, at, s, first, v)
	took, stayed := s.End(toEnd)
	v[ends] = ms(took)
	if stayed {
		v[ends] = never
	}
	if err != nil {
		return nil, fmt.Errorf("%w\nthe server said on stderr:\n%s", err, s.Said())
	}
	return v, nil
}

func (p plan) all(ctx context.Context, c *chromium, at *peer, s *session, first *tab, v values) error {
	for _, step := range []func(context.Context, *chromium, *peer, *session, *tab, values) error{p.begin, p.call,
		p.change, p.crowd} {
		if err := step(ctx, c, at, s, first, v); err != nil {
			return err
		}
	}
	return nil
}

// begin measures the start, and what the server lists.
func (p plan) begin(ctx context.Context, c *chromium, at *peer, s *session, first *tab, v values) error {
	if err := s.Greet(ctx); err != nil {
		return err
	}
	if _, err := s.List(ctx); err != nil {
		return err
	}
	v[firstList] = ms(time.Since(s.Started))
	err := at.arrive(ctx, s, first)
	v[firstTool] = ms(time.Since(s.Started))
	if errors.Is(err, errNotSeen) {
		v[firstTool] = never
		var fresh *tab
		if fresh, err = c.only(ctx); err != nil {
			return err
		}
		*first = *fresh // one that was opened after the server has started
		err = at.arrive(ctx, s, first)
	}
	if err != nil {
		return err
	}
	all := func(tools []tool) bool { return at.count(tools) == toolsOfAPage }
	if at.asked == nil {
		if err := s.ListUntil(ctx, reach, all); err != nil {
			return fmt.Errorf("the %d tools of the page: %w", toolsOfAPage, err)
		}
	}
	tools, err := s.List(ctx)
	if err != nil {
		return err
	}
	v[ownTools], v[ownBytes], v[pageBytes] = 0, 0, 0
	for _, t := range tools {
		if at.owns(t.Name) {
			v[pageBytes] += float64(len(t.Text)) + 1
			continue
		}
		v[ownTools]++
		v[ownBytes] += float64(len(t.Text)) + 1 // the comma
	}
	return p.memory(ctx, s, v, rssOne)
}

// memory reads it when the server has been alone for a while.
func (p plan) memory(ctx context.Context, s *session, v values, as figure) error {
	select {
	case <-time.After(restTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	n, err := server.Memory(s.Pid())
	v[as] = n
	return err
}

// call measures calls one at a time.
func (p plan) call(ctx context.Context, _ *chromium, at *peer, s *session, first *tab, v values) error {
	act := at.verbs[echo]
	if act == nil {
		return nil
	}
	return p.timed(ctx, v, callP50, callP99,
		func(ctx context.Context, text string) error { return act(ctx, s, first, text) })
}

// timed does something again and again and stores the median and the 99th
// percentile of how long it took.
func (p plan) timed(ctx context.Context, v values, p50, p99 figure,
	do func(ctx context.Context, text string) error) error {
	var took []float64
	begun := time.Now()
	for i := range p.calls + warmup {
		at := time.Now()
		if err := do(ctx, fmt.Sprintf("%d at %d", i, at.UnixNano())); err != nil {
			return fmt.Errorf("act %d: %w", i, err)
		}
		if i >= warmup {
			took = append(took, ms(time.Since(at)))
		}
		if len(took) >= 20 && time.Since(begun) > p.calling {
			break
		}
	}
	v[p50], v[p99] = quantile(took, 0.5), quantile(took, 0.99)
	return nil
}

// change lets the page register tools, one after the other.
func (p plan) change(ctx context.Context, c *chromium, at *peer, s *session, first *tab, v values) error {
	var known, notices []float64
	for i := range p.changes {
		if err := s.Calm(ctx); err != nil {
			return err
		}
		before, name := s.Changes(), fmt.Sprint("new", i)
		begun := time.Now()
		if _, err := c.evaluate(ctx, first,
			fmt.Sprintf(`Promise.resolve(add(%q)).then(() => true)`, name)); err != nil {
			return err
		}
		if at.asked == nil {
			err := at.appear(ctx, s, reach, name)
			if errors.Is(err, errNotSeen) {
				v[told], v[knownMS] = float64(s.Changes()-before), never
				return nil
			}
			if err != nil {
				return err
			}
			known = append(known, ms(time.Since(begun)))
		}
		if err := s.Calm(ctx); err != nil {
			return err
		}
		notices = append(notices, float64(s.Changes()-before))
	}
	v[told] = quantile(notices, 0.5)
	if len(known) > 0 {
		v[knownMS] = quantile(known, 0.5)
	}
	return nil
}

// crowd opens the other tabs.
func (p plan) crowd(ctx context.Context, c *chromium, at *peer, s *session, _ *tab, v values) error {
	first, err := c.only(ctx) // without the tools that change made
	if err != nil {
		return err
	}
	for range p.tabs - 1 {
		if _, err := c.open(ctx); err != nil {
			return err
		}
	}
	if err := at.arrive(ctx, s, first); err != nil {
		return err
	}
	if at.asked != nil {
		n, err := at.asked(ctx, s)
		if err != nil {
			return err
		}
		v[askedTools] = float64(n)
	} else if err := s.ListUntil(ctx, reach,
		func(tools []tool) bool { return at.count(tools) == p.tabs*toolsOfAPage }); err != nil &&
		!errors.Is(err, errNotSeen) {
		return err
	}
	tools, err := s.List(ctx)
	if err != nil {
		return err
	}
	v[listedTools] = float64(at.count(tools))
	return p.memory(ctx, s, v, rssMany)
}

// bare measures calls without any server.
func (p plan) bare(ctx context.Context, c *chromium) (values, error) {
	t, err := c.only(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.pipe.Call(ctx, t.session, cdpclient.WebMCPEnable, nil, nil); err != nil {
		return nil, err
	}
	v := values{}
	return v, p.timed(ctx, v, callP50, callP99,
		func(ctx context.Context, text string) error { return c.bareEcho(ctx, t, text) })
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
