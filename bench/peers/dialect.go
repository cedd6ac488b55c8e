package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// An op is what agents do with any page.
type op string

// The ops. Each server has its own names for them, and its own shapes of arguments.
const (
	opClick      op = "click"
	opFill       op = "fill"
	opSnapshot   op = "snapshot"
	opScreenshot op = "screenshot"
	opEvaluate   op = "evaluate"
	opNavigate   op = "navigate"
	opPress      op = "press_key"
	opList       op = "list_pages"
	opUpload     op = "upload"
)

// An aim is what an op is done to, and with.
type aim struct {
	page int    // the server's number of the tab
	ref  string // the server's name of an element, from its snapshot
	text string // what is filled in, run, pressed, uploaded, or the address
}

// A request is one call of a tool.
type request struct {
	tool string
	args map[string]any
}

// A doer calls tools of one server. Any goroutine may use it.
type doer interface {
	do(ctx context.Context, tool string, args any) (reply, error)
}

// A dialect is how one server is asked to operate pages.
type dialect struct {
	// ask gives the calls that do an op.
	ask func(o op, a aim) []request
	// choose makes a tab the client's current one.
	choose func(page int) request
	// mute says that tools take no page: they act on the current one.
	mute bool
	// ref finds an element's name in a snapshot: %s is what people call the element.
	ref string
	// whole is a call that gives a snapshot without a budget, if there is one.
	whole func(page int) request
}

// try does an op. An answer that is an error is a reply, too.
func (d *dialect) try(ctx context.Context, by doer, o op, a aim) (r reply, err error) {
	for _, q := range d.ask(o, a) {
		if r, err = by.do(ctx, q.tool, q.args); err != nil || r.isError {
			return r, err
		}
	}
	return r, nil
}

// must does an op that has to be answered well.
func (d *dialect) must(ctx context.Context, by doer, o op, a aim) (reply, error) {
	r, err := d.try(ctx, by, o, a)
	if err == nil && r.isError {
		err = fmt.Errorf("%s: %.500s", o, r.text)
	}
	return r, err
}

// page is the server's number of the tab at an address.
func (d *dialect) page(ctx context.Context, by doer, url string) (int, error) {
	r, err := d.must(ctx, by, opList, aim{})
	if err != nil {
		return 0, err
	}
	return pageIn(r.text, url)
}

func pageIn(listed, url string) (int, error) {
	m := regexp.MustCompile(`(?m)^(?:- )?(\d+): .*` + regexp.QuoteMeta(url) + `(?:[)\s]|$)`).FindStringSubmatch(listed)
	if m == nil {
		return 0, fmt.Errorf("%s: %w: %.500s", url, errNotSeen, listed)
	}
	return strconv.Atoi(m[1])
}

// arrive finds a tab as soon as the server shows it, and makes it the current one. Where tabs are
// numbered by their place, its number changes when the server hears that one before it was closed.
func (d *dialect) arrive(ctx context.Context, by doer, t *tab) (page int, err error) {
	return page, until(ctx, "the server doesn't show the tab", func() (bool, error) {
		at, err := d.page(ctx, by, t.url)
		if err == nil {
			err = d.makeCurrent(ctx, by, at)
		}
		if err == nil && d.mute {
			page, err = d.page(ctx, by, t.url)
			return page == at && err == nil, err
		}
		page = at
		return err == nil, err
	})
}

// makeCurrent makes a tab the client's current one.
func (d *dialect) makeCurrent(ctx context.Context, by doer, page int) error {
	q := d.choose(page)
	r, err := by.do(ctx, q.tool, q.args)
	if err == nil && r.isError {
		err = fmt.Errorf("%s: %.500s", q.tool, r.text)
	}
	return err
}

// find gives the server's name of an element that a snapshot shows.
func (d *dialect) find(snapshot, name string) (string, error) {
	m := regexp.MustCompile(fmt.Sprintf(d.ref, regexp.QuoteMeta(name))).FindStringSubmatch(snapshot)
	if m == nil {
		return "", fmt.Errorf("the snapshot has no %q: %.1000s", name, snapshot)
	}
	return m[1], nil
}

// patienceOfAnAct is how long an act may wait for its element, in ms, where a server lets that
// be said; chrome-devtools-mcp always waits for up to 5 s.
const patienceOfAnAct = 2000

func selectPage(page int) request { return request{"select_page", map[string]any{"pageId": page}} }

// asDevTools asks with chrome-devtools-mcp's names, which are the hub's too. timeout is
// what the argument for that is called, if there is one.
func asDevTools(timeout string) func(o op, a aim) []request {
	return func(o op, a aim) []request {
		args := map[string]any{"pageId": a.page}
		if a.ref != "" {
			args["uid"] = a.ref
			if timeout != "" && o != opPress {
				args[timeout] = patienceOfAnAct
			}
		}
		tool := string(o)
		switch o {
		case opFill:
			args["value"] = a.text
		case opSnapshot:
			tool = "take_snapshot"
		case opScreenshot:
			tool = "take_screenshot"
		case opEvaluate:
			tool, args["function"] = "evaluate_script", a.text
		case opNavigate:
			tool, args["type"], args["url"] = "navigate_page", "url", a.text
		case opPress:
			args["key"] = a.text
		case opUpload:
			tool, args["filePaths"] = "upload_file", []string{a.text}
		case opList:
			args = map[string]any{}
		}
		return []request{{tool, args}}
	}
}

func asPlaywright(o op, a aim) []request {
	on := map[string]any{"element": "the element", "target": a.ref}
	switch o {
	case opClick:
		return []request{{"browser_click", on}}
	case opFill:
		on["text"] = a.text
		return []request{{"browser_type", on}}
	case opSnapshot:
		return []request{{"browser_snapshot", map[string]any{}}}
	case opScreenshot:
		return []request{{"browser_take_screenshot", map[string]any{}}}
	case opEvaluate:
		return []request{{"browser_evaluate", map[string]any{"function": a.text}}}
	case opNavigate:
		return []request{{"browser_navigate", map[string]any{"url": a.text}}}
	case opPress:
		return []request{{"browser_press_key", map[string]any{"key": a.text}}}
	case opUpload:
		return []request{{"browser_click", on}, {"browser_file_upload", map[string]any{"paths": []string{a.text}}}}
	}
	return []request{{"browser_tabs", map[string]any{"action": "list"}}}
}
