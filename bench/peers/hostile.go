package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A hostile is a page on which what is asked for can't be done, or only with care.
type hostile struct {
	name    string
	html    string
	op      op
	element string
	text    string
	// after is run in the page between the snapshot and the act.
	after string
	// done is true in the page when what was asked for has happened, and nothing else.
	done string
}

const (
	overAll = `style="position:fixed;inset:0;background:#fff8"`
	counts  = `<script>let done = 0, wrong = 0</script>`
)

var hostiles = []hostile{
	{name: "covered button", op: opClick, element: "Save", done: "done == 1 && !wrong",
		html: counts + `<button onclick="done++">Save</button><div ` + overAll + ` onclick="wrong++"></div>`},
	{name: "overlay on mousedown", op: opClick, element: "Save", done: "done == 1 && !wrong",
		html: counts + `<button onclick="done++" onmousedown="over.hidden = false">Save</button><div id="over" hidden ` + overAll + `></div>`},
	{name: "disabled fieldset", op: opClick, element: "Save", done: "done == 1",
		html: counts + `<fieldset disabled><button onclick="done++">Save</button></fieldset>`},
	{name: "list item whose text changed", op: opClick, element: "Alpha", done: "done == 1 && !wrong",
		html:  counts + `<ul><li><button id="b" onclick="done++">Alpha</button><li><button>Beta</button></ul>`,
		after: `b.textContent = "Delete everything"; b.onclick = () => wrong++`},
	{name: "item that was replaced", op: opClick, element: "Alpha", done: "done == 1 && !wrong",
		html:  counts + `<ul><li id="l"><button onclick="done++">Alpha</button></ul>`,
		after: `l.innerHTML = "<button onclick='wrong++'>Delete everything</button>"`},
	{name: "another in its place as the mouse comes", op: opClick, element: "Save", done: "done == 1 && !wrong",
		html: counts + `<div id="ad"></div><button id="b" style="width:120px;height:40px;display:block" onclick="done++">Save</button><button style="width:120px;height:40px" onclick="wrong++">Delete</button>` +
			`<script>b.onpointermove = () => { b.onpointermove = null; b.style.marginTop = "120px"; ad.append(document.querySelectorAll("button")[1]) }</script>`},
	{name: "date that there isn't", op: opFill, element: "Day", text: "2026-02-31", done: `d.value == "2026-02-31"`,
		html: `<input id="d" type="date" aria-label="Day">`},
	{name: "letters for a number", op: opFill, element: "Age", text: "many", done: `d.value == "many"`,
		html: `<input id="d" type="number" aria-label="Age">`},
	{name: "read-only field", op: opFill, element: "Code", text: "123", done: `d.value == "123"`,
		html: `<input id="d" readonly aria-label="Code">`},
	{name: "file that there isn't", op: opUpload, element: "Photo", text: "missing.png", done: `d.files[0]?.size > 0`,
		html: `<input id="d" type="file" aria-label="Photo">`},
}

// hostileTimes is how often each hostile page is tried.
const hostileTimes = 2

// hostilePages counts answers that claim success where the page shows that nothing, or
// another thing, happened.
func (st *stand) hostilePages(ctx context.Context) error {
	st.v[wrongOnes], st.v[wrongOf] = 0, float64(len(hostiles)*hostileTimes)
	for i, h := range hostiles {
		for range hostileTimes {
			claims, done, err := st.try(ctx, i, h)
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			if claims && !done {
				st.v[wrongOnes]++
				fmt.Fprintf(os.Stderr, "%s claims success without it: %s\n", st.at.name, h.name)
			}
		}
	}
	return nil
}

// try does what a hostile page makes hard.
func (st *stand) try(ctx context.Context, number int, h hostile) (claims, done bool, err error) {
	t, err := st.c.alone(ctx, func(ctx context.Context) (*tab, error) {
		st.c.opened++
		return st.c.openAt(ctx, fmt.Sprintf("/hostile/%d/%d/", number, st.c.opened), loaded)
	})
	if err != nil {
		return false, false, err
	}
	page, err := st.at.dialect.arrive(ctx, st.s, t)
	if err != nil {
		return false, false, err
	}
	ref, err := st.look(ctx, page, h.element)
	if err != nil {
		return false, false, err
	}
	if h.after != "" {
		if _, err := st.c.evaluate(ctx, t, "void ("+strings.ReplaceAll(h.after, "; ", ", ")+")"); err != nil {
			return false, false, err
		}
	}
	text := h.text
	if h.op == opUpload {
		text = filepath.Join(st.dir, text)
	}
	r, err := st.at.dialect.try(ctx, st.s, h.op, aim{page: page, ref: ref, text: text})
	if err != nil {
		return false, false, err
	}
	value, err := st.c.evaluate(ctx, t, "!!("+h.done+")")
	return !r.isError, slices.Equal(value, []byte("true")), err
}
