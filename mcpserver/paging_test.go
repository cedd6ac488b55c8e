package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/view"
	"webmcphub/registry"
)

// listPage asks for one page, and gives its names and the next cursor.
func (c *rawClient) listPage(cursor string) (names []string, next string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"list","method":"tools/list","params":{"cursor":%q}}`, cursor))
	return pageOf(c.t, strings.Join(c.take(), "\n"))
}

func pageOf(t testing.TB, line string) (names []string, next string) {
	t.Helper()
	var r struct {
		Result *struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
	}
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.Result == nil {
		t.Fatalf("tools/list was answered with %s (%v)", line, err)
	}
	for _, tool := range r.Result.Tools {
		names = append(names, tool.Name)
	}
	return names, r.Result.NextCursor
}

func inPages(size int) func(*Options, *registry.Options) {
	return func(o *Options, _ *registry.Options) { o.ListPage = size }
}

// Pages together are the list, whatever their size.
func TestListInPages(t *testing.T) {
	for size := 1; size <= len(ownTools)+6; size++ {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo, inPages(size))
			h.page("A", "https://a.test/", "p", "q", "r", "s")
			c := h.connect(true)
			c.handshake()
			var all []string
			for cursor, pages := "", 0; ; pages++ {
				names, next := c.listPage(cursor)
				all = append(all, names...)
				if want := min(size, len(ownTools)+4-len(all)+len(names)); len(names) != want || pages > len(ownTools)+4 {
					t.Fatalf("page %d has %d tools, want %d", pages, len(names), want)
				}
				if cursor = next; next == "" {
					break
				}
			}
			want := withOwn("webmcp_a_test_page0_p", "webmcp_a_test_page0_q", "webmcp_a_test_page0_r", "webmcp_a_test_page0_s")
			if !slices.Equal(all, want) {
				t.Errorf("in pages of %d the list is %q", size, all)
			}
			c.hangUp()
		})
	}
}

// Who reads page by page reads one list, and is told if it has changed meanwhile.
func TestListInPagesWhileItChanges(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, inPages(len(ownTools)+1))
		h.page("A", "https://a.test/", "p", "q", "r")
		c := h.connect(true)
		c.handshake()
		_, next := c.listPage("")
		h.change(tools("A", 1, "a", "r"))
		c.expect(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		rest, none := c.listPage(next)
		if want := []string{"webmcp_a_test_page0_q", "webmcp_a_test_page0_r"}; !slices.Equal(rest, want) || none != "" {
			t.Errorf("the rest of the old list is %q, then %q", rest, none)
		}
		first, fresh := c.listPage("")
		if want := "webmcp_a_test_page0_a"; !slices.Contains(first, want) {
			t.Errorf("the new list begins with %q", first)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, next))
		c.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown cursor: the list has changed since…`)
		if rest, none := c.listPage(fresh); len(rest) != 1 || none != "" {
			t.Errorf("the rest of the new list is %q, then %q", rest, none)
		}
		c.hangUp()
	})
}

// A list counts as read with its last page, so that a list_changed for who has
// read less isn't left out as not needed any more.
func TestListIsReadWithItsLastPage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, inPages(len(ownTools)+1))
		h.page("A", "https://a.test/", "p", "q")
		c := h.connect(true)
		c.handshake()
		read := func() (version uint64) {
			h.sessions.each(func(s *session) { version = s.client.Conn.Holds().ToolsRead })
			return version
		}
		_, next := c.listPage("")
		if v := read(); v != 0 {
			t.Errorf("after the first page, version %d counts as read", v)
		}
		c.listPage(next)
		if v, now := read(), h.catalog().Version(); v != now {
			t.Errorf("after the last page, version %d of %d counts as read", v, now)
		}
		c.hangUp()
	})
}

func TestBadCursors(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, inPages(1))
		c := h.connect(true)
		c.handshake()
		_, good := c.listPage("")
		parts := strings.Split(good, ".")
		for _, cursor := range []string{
			"x", "..", good + "9", good + ".1", strings.TrimSuffix(good, "1") + "0", strings.TrimSuffix(good, "1") + "-1", strings.TrimSuffix(good, "1") + "99999999999999999999",
			parts[0] + ".77.1", strings.Repeat("A", len(parts[0])) + good[len(parts[0]):], // another process's
		} {
			c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, cursor))
			c.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602…`)
		}
		c.hangUp()
	})
}

// Requests of protocol 2026-07-28 aren't known to belong together: cursors hold
// as long as the list is the current one.
func TestSessionlessPages(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, inPages(len(ownTools)+1))
		h.page("A", "https://a.test/", "p", "q")
		w := h.onWire(t)
		ask := func(cursor string) string {
			body, headers := modern("1", "tools/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
			return w.send("POST", body, headers...).body
		}
		first := ask("")
		names, next := pageOf(t, first)
		if len(names) != len(ownTools)+1 || !strings.Contains(first, `"resultType":"complete"`) {
			t.Errorf("the first page is %s", first)
		}
		if names, next := pageOf(t, ask(next)); len(names) != 1 || next != "" {
			t.Errorf("the second page is %q, then %q", names, next)
		}
		h.change(tools("A", 1, "r", "s"))
		if a := ask(next); !strings.Contains(a, `"code":-32602`) {
			t.Errorf("an old cursor gives %s", a)
		}
	})
}

// listPages asks for all pages of a list by one function, and gives its names and what
// each page is as it was sent.
func listPages(t testing.TB, ask func(cursor string) string) (all, pages []string) {
	t.Helper()
	for cursor := ""; ; {
		page := ask(cursor)
		names, next := pageOf(t, page)
		all, pages = append(all, names...), append(pages, page)
		if cursor = next; next == "" {
			return all, pages
		}
		if len(pages) > 100 {
			t.Fatal("the list has no end")
		}
	}
}

// TestStaticPagesStayTheSame: the pages of the static list change by no byte, and each can
// be read on from whatever pages do meanwhile, also where requests aren't known to belong
// together.
func TestStaticPagesStayTheSame(t *testing.T) {
	for name, asker := range map[string]func(*testing.T, *hub) func(cursor string) string{
		"a session": func(t *testing.T, h *hub) func(string) string {
			c := h.connect(true)
			c.handshake()
			t.Cleanup(c.hangUp)
			return func(cursor string) string {
				c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":%q}}`, cursor))
				return strings.Join(c.take(), "\n")
			}
		},
		"no session": func(t *testing.T, h *hub) func(string) string {
			w := h.onWire(t)
			return func(cursor string) string {
				body, headers := modern("1", "tools/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
				return w.send("POST", body, headers...).body
			}
		},
	} {
		bubble(t, func(t *testing.T) {
			h := newHub(t, echo, showing(view.Static, 0), inPages(2))
			h.page("A", "https://a.test/", "p")
			ask := asker(t, h)
			all, before := listPages(t, ask)
			if !slices.Equal(all, ownTools) || len(before) < 2 {
				t.Errorf("%s: the list is %q in %d pages", name, all, len(before))
			}
			round := 0
			_, after := listPages(t, func(cursor string) string {
				round++
				h.change(tools("A", 1, fmt.Sprint("q", round)))
				return ask(cursor)
			})
			if !slices.Equal(before, after) {
				t.Errorf("%s: the pages were\n%s\nand are\n%s", name, before, after)
			}
		})
	}
}

// TestAutoPagesWithoutASession: what begins as the static list goes on as that one.
func TestAutoPagesWithoutASession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo, showing(view.ByUse, 1000), inPages(2))
		h.page("A", "https://a.test/", "p", "q")
		w := h.onWire(t)
		ask := func(cursor string) string {
			body, headers := modern("1", "tools/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
			return w.send("POST", body, headers...).body
		}
		all, pages := listPages(t, ask)
		if !slices.Equal(all, ownTools) || len(pages) < 2 {
			t.Errorf("the list is %q in %d pages", all, len(pages))
		}
		for _, page := range pages {
			if is, why := surfaceOf(t, page); is != view.Static || why == "" || strings.Contains(page, "outputSchema") {
				t.Errorf("a page says that it is of %s, %s: %s", is, why, page)
			}
		}
	})
}
