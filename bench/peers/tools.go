package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"webmcphub/bench/machine"
	"webmcphub/cdpclient"
	"webmcphub/registry/tokencount"
)

// How much is measured of pages' tools in a round.
const (
	warmup   = 5                // calls that aren't timed
	calls    = 300              // of a page's tool, at most
	calling  = 20 * time.Second // and for at most so long
	changes  = 10               // tools that a page registers one by one
	manyTabs = 16               // how many there are in the end
)

// Figures of pages' tools.
const (
	firstList   figure = "first list"
	firstTool   figure = "first tool"
	ownTools    figure = "own tools"
	ownBytes    figure = "own bytes"
	ownTokens   figure = "own tokens"
	sameTools   figure = "tools of the 26"
	sameTokens  figure = "tokens of the 26"
	callP50     figure = "call"
	listChanges figure = "told"
	knownMS     figure = "known"
	listedTools figure = "listed"
	askedTools  figure = "asked"
	rssOne      figure = "RSS, one tab"
	rssMany     figure = "RSS, many tabs"
)

// listRow is of both tables.
var listRow = row{"`tools/list` without pages' tools: tools; bytes; tokens, about", ownTools, func(v values) string {
	return fmt.Sprintf("%.0f; %s; %s", v[ownTools], thousands(v[ownBytes]), thousands(v[ownTokens]))
}}

var toolRows = []row{
	{"start to the first answer of `tools/list`, ms", firstList, whole(firstList)},
	{"start until the tools of a page that is open can be called, ms", firstTool, whole(firstTool)},
	{"call of a page's tool, p50, ms", callP50, precise(callP50)},
	{fmt.Sprintf("%d tabs with %d tools each: tools in `tools/list`", manyTabs, toolsOfAPage), listedTools,
		func(v values) string {
			text := fmt.Sprintf("%.0f of %d", v[listedTools], manyTabs*toolsOfAPage)
			if has(v, askedTools) {
				text += fmt.Sprintf("; %.0f by asking for each tab", v[askedTools])
			}
			return text
		}},
	{"a page registers a tool: how many `list_changed`", listChanges, whole(listChanges)},
	{"… until `tools/list` has it, p50, ms", knownMS, func(v values) string {
		if v[knownMS] == never {
			return "not before the agent's next call"
		}
		return precise(knownMS)(v)
	}},
	listRow,
	{"memory (RSS of all its processes) with one tab, MiB", rssOne, whole(rssOne)},
	{fmt.Sprintf("… with %d tabs", manyTabs), rssMany, whole(rssMany)},
}

// compareTools measures pages' tools by all servers in turns, round by round, and prints the table.
func compareTools(ctx context.Context, native *chromium, modules string, all []*peer, rounds int) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	mcpb, err := startChromium(ctx, modules, port)
	if err != nil {
		return err
	}
	defer mcpb.close()
	var columns []*column
	for _, at := range all {
		columns = append(columns, &column{title: at.title + " " + at.version})
	}
	bare := &column{title: bareTitle}
	for n := range rounds {
		fmt.Fprintf(os.Stderr, "round %d of %d: bare", n+1, rounds)
		v, err := bareCalls(ctx, native)
		if err != nil {
			return fmt.Errorf("bare: %w", err)
		}
		bare.rounds = append(bare.rounds, v)
		for i, at := range all {
			fmt.Fprintf(os.Stderr, ", %s", at.name)
			c := native
			if at.mcpb {
				c = mcpb
			}
			if v, err = at.measure(ctx, c); err != nil {
				return err
			}
			columns[i].rounds = append(columns[i].rounds, v)
		}
		fmt.Fprintln(os.Stderr)
	}
	write(os.Stdout, toolRows, append(columns, bare))
	return nil
}

const bareTitle = "no server: a bare client of Chrome"

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// measure runs one server from its start to its end.
func (p *peer) measure(ctx context.Context, c *chromium) (values, error) {
	v := values{}
	t, err := c.alone(ctx, c.open)
	if err != nil {
		return nil, err
	}
	return v, p.serve(ctx, c, p.toolFlags, v, func(st *stand) error {
		var err error
		if t, err = st.begin(ctx, t); err != nil {
			return err
		}
		if err := timed(ctx, v, func(ctx context.Context, text string) error {
			return p.echo(ctx, st.s, text)
		}); err != nil {
			return err
		}
		if err := st.change(ctx, t); err != nil {
			return err
		}
		return st.crowd(ctx)
	})
}

// begin measures the start, and what the server lists. It gives the tab that the server shows: another one if the
// server doesn't show t, which was there before it.
func (st *stand) begin(ctx context.Context, t *tab) (*tab, error) {
	if _, err := st.s.list(ctx); err != nil {
		return nil, err
	}
	st.v[firstList] = ms(time.Since(st.s.started))
	err := st.at.arrive(ctx, st.s, t)
	st.v[firstTool] = ms(time.Since(st.s.started))
	if errors.Is(err, errNotSeen) {
		st.v[firstTool] = never
		if t, err = st.c.alone(ctx, st.c.open); err == nil {
			err = st.at.arrive(ctx, st.s, t)
		}
	}
	if err != nil {
		return nil, err
	}
	if st.at.countAsked == nil {
		all := func(tools []tool) bool { return st.at.count(tools) == toolsOfAPage }
		if err := st.s.listUntil(ctx, all); err != nil {
			return nil, fmt.Errorf("the %d tools of the page: %w", toolsOfAPage, err)
		}
	}
	if err := st.lists(ctx); err != nil {
		return nil, err
	}
	return t, st.memory(ctx, rssOne)
}

// the26 are the names that agents know from chrome-devtools-mcp.
var the26 = strings.Fields(`click drag fill fill_form handle_dialog hover press_key upload_file close_page list_pages navigate_page
	new_page select_page wait_for emulate resize_page performance_start_trace performance_stop_trace performance_analyze_insight
	get_network_request list_network_requests evaluate_script get_console_message list_console_messages take_screenshot take_snapshot`)

// lists measures what the server's own tools cost an agent in tools/list.
func (st *stand) lists(ctx context.Context) error {
	tools, err := st.s.list(ctx)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if st.at.owns(t.name) {
			continue
		}
		text := string(t.text) + ","
		st.v[ownTools]++
		st.v[ownBytes] += float64(len(text))
		st.v[ownTokens] += float64(tokencount.Estimate(text))
		if slices.Contains(the26, t.name) {
			st.v[sameTools]++
			st.v[sameTokens] += float64(tokencount.Estimate(text))
		}
	}
	return nil
}

// memory reads the server's when it has been alone for a while.
func (st *stand) memory(ctx context.Context, as figure) error {
	select {
	case <-time.After(restTime):
	case <-ctx.Done():
		return ctx.Err()
	}
	u, err := machine.Tree(st.s.cmd.Process.Pid)
	st.v[as] = float64(u.RSS) / (1 << 20)
	return err
}

// timed calls a tool again and again and stores the median of how long that took. The text differs from time to time,
// so that no other call's answer passes for that of this one.
func timed(ctx context.Context, v values, call func(ctx context.Context, text string) error) error {
	var took []float64
	begun := time.Now()
	for i := range calls + warmup {
		at := time.Now()
		if err := call(ctx, fmt.Sprintf("%d at %d", i, at.UnixNano())); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
		if i >= warmup {
			took = append(took, ms(time.Since(at)))
		}
		if len(took) >= 20 && time.Since(begun) > calling {
			break
		}
	}
	v[callP50] = machine.Quantile(took, 0.5)
	return nil
}

// change lets the page register tools, one after the other.
func (st *stand) change(ctx context.Context, t *tab) error {
	var known, notices []float64
	for i := range changes {
		if err := st.s.calm(ctx); err != nil {
			return err
		}
		before, name := st.s.changes.Load(), fmt.Sprint("new", i)
		begun := time.Now()
		if _, err := st.c.evaluate(ctx, t, fmt.Sprintf(`Promise.resolve(add(%q)).then(() => true)`, name)); err != nil {
			return err
		}
		if st.at.countAsked == nil {
			err := st.at.appear(ctx, st.s, name)
			if errors.Is(err, errNotSeen) {
				st.v[listChanges], st.v[knownMS] = float64(st.s.changes.Load()-before), never
				return nil
			}
			if err != nil {
				return err
			}
			known = append(known, ms(time.Since(begun)))
		}
		if err := st.s.calm(ctx); err != nil {
			return err
		}
		notices = append(notices, float64(st.s.changes.Load()-before))
	}
	st.v[listChanges] = machine.Quantile(notices, 0.5)
	if len(known) > 0 {
		st.v[knownMS] = machine.Quantile(known, 0.5)
	}
	return nil
}

// crowd opens many tabs.
func (st *stand) crowd(ctx context.Context) error {
	tabs, err := st.c.several(ctx, manyTabs, st.c.open) // without the tools that change made
	if err != nil {
		return err
	}
	if err := st.at.arrive(ctx, st.s, tabs[0]); err != nil {
		return err
	}
	if st.at.countAsked == nil {
		all := func(tools []tool) bool { return st.at.count(tools) == manyTabs*toolsOfAPage }
		if err := st.s.listUntil(ctx, all); err != nil && !errors.Is(err, errNotSeen) {
			return err
		}
	} else {
		for _, t := range tabs {
			n, err := st.at.countAsked(ctx, st.s, t)
			if err != nil && !errors.Is(err, errNotSeen) {
				return err
			}
			st.v[askedTools] += float64(n)
		}
	}
	tools, err := st.s.list(ctx)
	if err != nil {
		return err
	}
	st.v[listedTools] = float64(st.at.count(tools))
	return st.memory(ctx, rssMany)
}

// bareCalls measures calls without any server.
func bareCalls(ctx context.Context, c *chromium) (values, error) {
	t, err := c.alone(ctx, c.open)
	if err != nil {
		return nil, err
	}
	if err := c.pipe.Call(ctx, t.session, cdpclient.WebMCPEnable, nil, nil); err != nil {
		return nil, err
	}
	v := values{}
	return v, timed(ctx, v, func(ctx context.Context, text string) error { return c.bareEcho(ctx, t, text) })
}
