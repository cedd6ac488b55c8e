package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// order is what an agent does in a tab before it goes to the other. At its end the page
// is loaded anew.
var order = []op{opSnapshot, opClick, opFill, opPress, opEvaluate, opScreenshot, opPress, opList, opSnapshot,
	opNavigate}

// behind has an agent work in two tabs in turn while the person looks at a third, and counts
// the actions that took the front from it. The person comes back at each change of tabs.
func (st *stand) behind(ctx context.Context) error {
	tabs, err := st.c.several(ctx, 3)
	if err != nil {
		return err
	}
	seen, tabs := tabs[0], tabs[1:]
	pages := make([]int, len(tabs))
	for i, t := range tabs {
		if pages[i], err = st.at.arrive(ctx, st.c, st.s, t); err != nil {
			return err
		}
	}
	if err := st.c.bring(ctx, seen); err != nil {
		return err
	}
	thefts := thefts{by: map[string]int{}}
	var refs []string
	for n := range st.focus {
		o, i := order[n%len(order)], n/len(order)%len(tabs)
		what := string(o)
		if n%len(order) == 0 {
			if err := st.c.bring(ctx, seen); err != nil {
				return err
			}
			thefts.stolen = false
			if st.at.mute { // a part of the action, where it is needed
				what = "choosing a tab"
				if err := st.at.makeCurrent(ctx, st.s, pages[i]); err != nil {
					return err
				}
			}
		}
		if refs, err = st.actBehind(ctx, tabs[i], pages[i], o, n, refs); err != nil {
			return fmt.Errorf("action %d, %s: %w", n, o, err)
		}
		at, err := st.c.front(ctx)
		if err != nil {
			return err
		}
		thefts.note(what, at == seen.target)
	}
	st.v[focusStolen], st.v[focusActions] = float64(thefts.sum), float64(st.focus)
	if thefts.sum > 0 {
		st.note("brings its tab to the front by: %s.", thefts)
	}
	return nil
}

// actBehind does one action and checks that it arrived. refs are the elements of the last
// snapshot; it gives those to use from now on.
func (st *stand) actBehind(ctx context.Context, t *tab, page int, o op, n int, refs []string) ([]string, error) {
	a := aim{page: page}
	switch o {
	case opClick:
		a.ref = refs[0]
	case opFill:
		a.ref, a.text = refs[1], fmt.Sprint("value ", n)
	case opPress:
		a.text = "a"
	case opEvaluate:
		a.text = "() => 1 + 1"
	case opNavigate:
		a.text = fmt.Sprintf("%s?visit=%d", t.url, n)
	}
	r, err := st.at.must(ctx, st.s, o, a)
	switch {
	case err != nil:
	case o == opSnapshot:
		return st.at.refs(r.Text, "Count", "Name")
	case o == opClick:
		err = st.c.says(ctx, t, "clicks", 1)
	case o == opFill:
		err = st.c.says(ctx, t, "field.value", a.text)
	case o == opNavigate:
		err = st.c.says(ctx, t, "location.href", a.text)
	}
	return refs, err
}

// thefts are the actions that took the front from a tab.
type thefts struct {
	by     map[string]int
	sum    int
	stolen bool // it isn't in front now
}

func (t *thefts) note(what string, front bool) {
	if !front && !t.stolen {
		t.by[what]++
		t.sum++
	}
	t.stolen = !front
}

func (t thefts) String() string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(t.by)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", what, t.by[what]))
	}
	return strings.Join(parts, ", ")
}
