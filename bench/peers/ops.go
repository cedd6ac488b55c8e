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

	"webmcphub/bench/peers/server"
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

// figures of an op.
func opP50(o op) figure { return figure(o + " p50") }
func opP99(o op) figure { return figure(o + " p99") }
func opCPU(o op) figure { return figure(o + " CPU") }

// ops measures each op, one at a time.
func (st *stand) ops(ctx context.Context) error {
	var acts int
	var used time.Duration
	for _, tr := range trials {
		t, page, err := st.light(ctx)
		if err != nil {
			return err
		}
		a := aim{page: page}
		if tr.element != "" {
			refs, err := st.look(ctx, page, tr.element)
			if err != nil {
				return err
			}
			a.ref = refs[0]
		}
		before, err := server.ProcessorTime(st.s.Pid())
		if err != nil {
			return err
		}
		n, err := st.repeat(ctx, st.c, t, st.v, tr, func(ctx context.Context, text string) (reply, error) {
			a := a
			a.text = text
			return st.at.must(ctx, st.s, tr.op, a)
		})
		if err != nil {
			return err
		}
		after, err := server.ProcessorTime(st.s.Pid())
		if err != nil {
			return err
		}
		st.v[opCPU(tr.op)] = ms(after-before) / float64(n)
		acts += n
		used += after - before
	}
	st.v[cpuOfAll] = ms(used) / float64(acts)
	return nil
}

// repeat does a trial and stores its figures; it gives how often it was done.
func (o operating) repeat(ctx context.Context, c *chromium, t *tab, v values, tr trial,
	act func(ctx context.Context, text string) (reply, error)) (int, error) {
	var took []float64
	n := 0
	for begun := time.Now(); n < o.rounds+warmup; n++ {
		if len(took) >= atLeast && time.Since(begun) > o.within {
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
	v[opP50(tr.op)], v[opP99(tr.op)] = quantile(took, 0.5), quantile(took, 0.99)
	return n, nil
}

// proven is an error unless the page, or the answer, shows that it was done.
func (tr trial) proven(ctx context.Context, c *chromium, t *tab, i int, r reply) error {
	if tr.op == opScreenshot {
		return pictured(r.Image, shade(i))
	}
	if tr.shows != nil {
		if want := tr.shows(t.url, i); !strings.Contains(r.Text, want) {
			return fmt.Errorf("the answer has no %q: %.500s", want, r.Text)
		}
	}
	if tr.script != "" {
		return c.says(ctx, t, tr.script, tr.want(i))
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
