package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/bench/peers/server"
)

// An operating is how much of operating pages is measured.
type operating struct {
	rounds  int           // of each op, at most
	within  time.Duration // and for at most so long, but at least atLeast of each
	span    time.Duration // of clicking in several tabs at once
	hostile int           // how often each hostile page is tried
	agents  int           // rounds of two agents
	focus   int           // actions behind the tab in front
	tabs    int           // that are in use when memory is read
}

const atLeast = 5

// A stand is one server under measurement, and the only client of it over stdio.
type stand struct {
	operating
	c     *chromium
	at    *dialect
	s     *session
	dir   string // which it may read files from
	v     values
	notes *[]string
}

// note says under the table what a number hides.
func (st *stand) note(format string, args ...any) {
	*st.notes = append(*st.notes, st.at.title+": "+fmt.Sprintf(format, args...))
}

// stages are measured one after the other, each with a server that has just started.
var stages = []struct {
	name string
	run  func(st *stand, ctx context.Context) error
}{
	{"tools", (*stand).lists},
	{"ops", (*stand).ops},
	{"at-once", (*stand).atOnce},
	{"hostile", (*stand).hostilePages},
	{"agents", (*stand).twoAgents},
	{"focus", (*stand).behind},
	{"snapshots", (*stand).snapshots},
	{"memory", (*stand).inUse},
}

// stageNames are for -stages.
func stageNames() (names []string) {
	for _, s := range stages {
		names = append(names, s.name)
	}
	return names
}

// operate measures all servers, and gives the columns and what is to be said below them.
// What fails has no figure, and doesn't keep the rest from being measured: the error says
// what it was.
func (o operating) operate(ctx context.Context, c *chromium, all []*dialect,
	only []string) (columns []*column, notes []string, err error) {
	for _, at := range all {
		v := values{}
		for _, stage := range stages {
			if len(only) > 0 && !slices.Contains(only, stage.name) {
				continue
			}
			begun, before := time.Now(), maps.Clone(v)
			if e := o.stage(ctx, c, at, v, &notes, stage.run); e != nil {
				err = errors.Join(err, fmt.Errorf("%s, %s: %w", at.name, stage.name, e))
				fmt.Fprintf(os.Stderr, "%s, %s: failed: %v\n", at.name, stage.name, e)
			}
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			fmt.Fprintf(os.Stderr, "%s, %s: %.1f s, load %s\n", at.name, stage.name, time.Since(begun).Seconds(),
				load())
			writeNews(os.Stderr, o.operatedRows(), before, v)
		}
		columns = append(columns, &column{title: strings.TrimSpace(at.title + " " + at.version), rounds: []values{v}})
	}
	bare, e := o.bareOps(ctx, c, only)
	if e != nil {
		err = errors.Join(err, fmt.Errorf("bare: %w", e))
	}
	return append(columns, &column{title: "no server: a bare client of Chrome", rounds: []values{bare}}), notes, err
}

func (o operating) stage(ctx context.Context, c *chromium, at *dialect, v values, notes *[]string,
	run func(*stand, context.Context) error) error {
	dir, err := os.MkdirTemp("", "bench-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := c.alone(ctx, c.light); err != nil {
		return err
	}
	s, err := server.Start(dir, at.command(c))
	if err != nil {
		return err
	}
	st := &stand{operating: o, c: c, at: at, s: s, dir: dir, v: v, notes: notes}
	err = s.Greet(ctx)
	if err == nil {
		err = run(st, ctx)
	}
	s.End(toEnd)
	if err != nil {
		err = fmt.Errorf("%w\nthe server said on stderr:\n%s", err, s.Said())
	}
	return err
}

// light opens the light page in a tab of its own and makes it the client's.
func (st *stand) light(ctx context.Context) (*tab, int, error) {
	t, err := st.c.alone(ctx, st.c.light)
	if err != nil {
		return nil, 0, err
	}
	page, err := st.at.arrive(ctx, st.c, st.s, t)
	return t, page, err
}

// look takes a snapshot of a tab, and gives the names of elements there.
func (st *stand) look(ctx context.Context, page int, names ...string) ([]string, error) {
	r, err := st.at.must(ctx, st.s, opSnapshot, aim{page: page})
	if err != nil {
		return nil, err
	}
	return st.at.refs(r.Text, names...)
}
