package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"time"

	"webmcphub/bench/machine"
)

// A trial is an op again and again on the light page, each time with its proof.
type trial struct {
	op      op
	element string // that is acted on, if any
	// prepare is run in the page before the ith time.
	prepare func(i int) string
	text    func(url string, i int) string
	// proof is what the page then says, or what the answer shows.
	script string
	want   func(i int) any
	shows  func(url string, i int) string
}

var trials = []trial{
	{op: opClick, element: "Count", script: "clicks", want: func(i int) any { return i + 1 }},
	{op: opFill, element: "Name", text: func(_ string, i int) string { return fmt.Sprint("value ", i) },
		script: "field.value", want: func(i int) any { return fmt.Sprint("value ", i) }},
	{op: opSnapshot, prepare: func(i int) string { return fmt.Sprintf("h1.textContent = 'Heading %d.'", i) },
		shows: func(_ string, i int) string { return fmt.Sprintf("Heading %d.", i) }},
	{op: opScreenshot, prepare: func(i int) string {
		return fmt.Sprintf("document.documentElement.style.background = 'rgb(%d, 200, 40)'", shade(i))
	}},
	{op: opEvaluate, text: func(_ string, i int) string { return fmt.Sprintf("() => %d * 7919 + 100000000", i) },
		shows: func(_ string, i int) string { return fmt.Sprint(i*7919 + 100000000) }},
	{op: opNavigate, text: func(url string, i int) string { return fmt.Sprintf("%s?visit=%d", url, i) },
		script: `[location.search, document.readyState]`,
		want:   func(i int) any { return []string{fmt.Sprint("?visit=", i), "complete"} }},
	{op: opPress, text: func(string, int) string { return "a" }, script: "keys",
		want: func(i int) any { return i + 1 }},
	{op: opList, shows: func(url string, _ int) string { return url }},
}

// shade is the red of the page in the ith screenshot.
func shade(i int) int { return 20 + i%10*20 }

// opP50 is the figure of an op.
func opP50(o op) figure { return figure(o) }

// ops measures each op, one at a time.
func (st *stand) ops(ctx context.Context) error {
	var acts int
	var used time.Duration
	for _, tr := range trials {
		t, err := st.c.alone(ctx, st.c.light)
		if err != nil {
			return err
		}
		a := aim{}
		if a.page, err = st.at.dialect.arrive(ctx, st.s, t); err != nil {
			return err
		}
		if tr.element != "" {
			if a.ref, err = st.look(ctx, a.page, tr.element); err != nil {
				return err
			}
		}
		before, err := machine.Tree(st.s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		n, err := repeat(ctx, st.c, t, st.v, tr, st.rounds, func(ctx context.Context, text string) (reply, error) {
			a.text = text
			return st.at.dialect.must(ctx, st.s, tr.op, a)
		})
		if err != nil {
			return err
		}
		after, err := machine.Tree(st.s.cmd.Process.Pid)
		if err != nil {
			return err
		}
		acts += n
		used += after.CPU - before.CPU
	}
	st.v[cpuOfAll] = ms(used) / float64(acts)
	return nil
}

// An op is timed for at most so long, but at least so often.
const (
	within  = 8 * time.Second
	atLeast = 5
)

// repeat does a trial and stores its median; it gives how often it was done.
func repeat(ctx context.Context, c *chromium, t *tab, v values, tr trial, rounds int,
	act func(ctx context.Context, text string) (reply, error)) (int, error) {
	var took []float64
	n := 0
	for begun := time.Now(); n < rounds+warmup; n++ {
		if len(took) >= atLeast && time.Since(begun) > within {
			break
		}
		if tr.prepare != nil {
			if _, err := c.evaluate(ctx, t, tr.prepare(n)); err != nil {
				return n, err
			}
		}
		var text string
		if tr.text != nil {
			text = tr.text(t.url, n)
		}
		at := time.Now()
		r, err := act(ctx, text)
		if err != nil {
			return n, fmt.Errorf("%s %d: %w", tr.op, n, err)
		}
		if n >= warmup {
			took = append(took, ms(time.Since(at)))
		}
		if err := tr.proven(ctx, c, t, n, r); err != nil {
			return n, fmt.Errorf("%s %d: %w", tr.op, n, err)
		}
	}
	v[opP50(tr.op)] = machine.Quantile(took, 0.5)
	return n, nil
}

// proven is an error unless the page, or the answer, shows that it was done.
func (tr trial) proven(ctx context.Context, c *chromium, t *tab, i int, r reply) error {
	if tr.op == opScreenshot {
		return pictured(r.image, shade(i))
	}
	if tr.shows != nil {
		if want := tr.shows(t.url, i); !strings.Contains(r.text, want) {
			return fmt.Errorf("the answer has no %q: %.500s", want, r.text)
		}
	}
	if tr.script != "" {
		return c.expect(ctx, t, tr.script, tr.want(i))
	}
	return nil
}

// pictured is an error unless a picture is of the page in its color of the moment.
func pictured(data []byte, red int) error {
	if len(data) == 0 {
		return errNotSeen
	}
	picture, kind, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	b := picture.Bounds()
	r, g, _, _ := picture.At(b.Max.X-3, b.Max.Y-3).RGBA()
	near := func(got uint32, want int) bool { return max(int(got>>8)-want, want-int(got>>8)) < 6 }
	if b.Dx() < 200 || b.Dy() < 100 || !near(r, red) || !near(g, 200) {
		return fmt.Errorf("the %s of %v has the color %d %d in its corner, and not %d 200", kind, b, r>>8, g>>8, red)
	}
	return nil
}
