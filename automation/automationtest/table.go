package automationtest

import (
	"context"
	"sync"
	"testing"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// Table has tabs for the cases of a table, which may run side by side. A case that has passed leaves its tab to
// another case, whose page replaces the present one. That takes half as long as going to an empty page in between.
type Table struct {
	mu   sync.Mutex
	free []string // targets
	all  []string
}

// NewTable returns a Table for the subtests of a test.
func NewTable(t testing.TB) *Table {
	table := &Table{}
	t.Cleanup(func() {
		for _, target := range table.all {
			giveBack(t, target)
		}
	})
	return table
}

// Open does the same as [Open], in a tab of the table.
func (table *Table) Open(t testing.TB, pages Pages, options ...func(*page.Options)) *Tab {
	t.Helper()
	site := Serve(t, pages)
	return openIn(t, table.window, site, site.URL("a", "/"), options...)
}

// window returns the tab of a window for the rest of a case.
func (table *Table) window(t testing.TB) (target string) {
	t.Helper()
	conn := Conn(t)
	if target = table.take(); target != "" {
		inFront(conn, target)
	} else {
		target = window(t)
		table.mu.Lock()
		table.all = append(table.all, target)
		table.mu.Unlock()
	}
	t.Cleanup(func() {
		if t.Failed() || !replaceable(conn, target) {
			return
		}
		table.mu.Lock()
		defer table.mu.Unlock()
		table.free = append(table.free, target)
	})
	return target
}

func (table *Table) take() (target string) {
	table.mu.Lock()
	defer table.mu.Unlock()
	if last := len(table.free) - 1; last >= 0 {
		target, table.free = table.free[last], table.free[:last]
	}
	return target
}

// replaceable says whether the page in a tab works and wouldn't ask whether to be left.
func replaceable(conn *cdpclient.Conn, target string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), wellWithin)
	defer cancel()
	return isWell(ctx, conn, target, []step{{cdpclient.RuntimeEvaluate, map[string]any{"awaitPromise": true,
		"includeCommandLineAPI": true, "expression": `getEventListeners(window).beforeunload ? Promise.reject() :
			new Promise(done => setTimeout(done))`}}})
}
