package offer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
	"webmcphub/registry/names"

	"webmcphub/registry/sanitize"
)

// TestScripts plays testdata/*.txt: blocks of command lines, "----", and what they print.
func TestScripts(t *testing.T) {
	scripttest.Play(t, func(t *testing.T, text string) string {
		s := newScript(nil)
		return scripttest.Blocks(text, func(lines []string) string {
			s.out.Reset()
			for _, line := range lines {
				args, named, err := scripttest.Words(line)
				if err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				s.run(t, args, named)
			}
			return s.out.String()
		})
	})
}

// script is a table, and the tabs that it is told of.
type script struct {
	maker  *Maker
	table  *Sites
	tabs   map[PageID]*SiteTab
	order  []PageID
	cached []CachedTool
	held   []string
	out    strings.Builder
	times  uint64 // counts changes of tabs
}

func newScript(origins *names.Origins) *script {
	m := NewMaker(Rules{Naming: MCPBNames, MaxName: names.DefaultMaxName, Origins: origins})
	return &script{maker: m, table: NewSites(m), tabs: map[PageID]*SiteTab{}}
}

func (s *script) run(t *testing.T, args []string, named map[string]string) {
	id := PageID(append(args, "")[1])
	switch args[0] {
	case "allow": // allow RULE: begin again, with no other origins
		origins, err := names.ParseOrigins(args[1:], nil)
		if err != nil {
			t.Fatal(err)
		}
		*s = *newScript(origins)
	case "tab": // tab ID URL [tools=a,b] [cache=a] [frame=c] [state=…] [active=true] [proxied=true]: opens it, or what it is now; frame's tools are another origin's
		s.set(id, s.tab(id, args[2], named))
	case "close": // close ID
		s.set(id, nil)
	case "cached": // cached [SITE URL TOOL]...: all that outlive their tabs
		s.cached = nil
		for c := range slices.Chunk(args[1:], 3) {
			s.cached = append(s.cached, CachedTool{Site: c[0], URL: c[1], Tool: PageTool{Name: c[2]}})
		}
		s.table.SetCached(s.cached)
	case "held": // held NAME...: names that the tabs' own tools have
		s.held = args[1:]
	case "list": // what is published when the table is up to date
		was := s.table.Published()
		s.table.Update(s.all(), func(name string) bool { return slices.Contains(s.held, name) })
		for _, h := range s.table.Published() {
			same := ""
			if slices.Contains(was, h) {
				same = ", as it was"
			}
			label, _, _ := strings.Cut(h.Description, "]")
			fmt.Fprintf(&s.out, "%s %s] opens %s%s\n", h.Name, label, h.SiteTool.Opens, same)
		}
	case "choose": // choose SITE TOOL [not=ID]: where a call goes
		free := func(h *HubTool) bool { return string(h.Route.Page) != named["not"] }
		if named["not"] == "" {
			free = nil
		}
		if h := ChooseTool(s.all(), &SiteTool{Site: args[1], Tool: args[2]}, free); h != nil {
			fmt.Fprintf(&s.out, "%s\n", h.Route.Page)
		} else {
			fmt.Fprintln(&s.out, "none")
		}
	case "keep": // keep ID: what of the tab may outlive it
		kept, others := Cacheable(s.tabs[id])
		for _, c := range kept {
			fmt.Fprintf(&s.out, "%s of %s at %s, by a frame %q\n", c.Tool.Name, c.Site, c.URL, c.Tool.Frame)
		}
		fmt.Fprintf(&s.out, "not %q\n", others)
	case "recover": // go on with another table
		s.table = s.table.Recover(s.maker, s.table.Published())
	default:
		t.Fatalf("no command %q", args[0])
	}
}

func (s *script) set(id PageID, tab *SiteTab) {
	if s.tabs[id] == nil {
		s.order = append(s.order, id)
	}
	s.table.Changed(s.tabs[id], tab)
	s.tabs[id] = tab
	if tab == nil {
		delete(s.tabs, id)
	}
}

func (s *script) all() func(func(*SiteTab) bool) {
	return maps.Values(s.tabs) // in no order: none may matter
}

func (s *script) tab(id PageID, url string, named map[string]string) *SiteTab {
	s.times++
	is := func(key string) bool { return named[key] == "true" }
	p := s.maker.Page(id, TabID(1+slices.Index(append(s.order, id), id)))
	p.Gen, p.Active = 1, is("active")
	p.Locate(url, "")
	tab := &SiteTab{Page: id, ID: p.Tab, URL: url, Origin: p.Origin, Site: p.Site, State: named["state"], Active: p.Active, Updated: s.times, Version: s.times, Proxied: is("proxied")}
	if at, err := strconv.ParseUint(named["updated"], 10, 64); err == nil {
		tab.Updated = at
	}
	add := func(list string, like PageTool) {
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
			tool := like
			tool.Name = name
			tab.Shown = append(tab.Shown, p.Publish(&tool, cmp.Or(p.Clean(&tool), &sanitize.Tool{}), string(id)+name, "", ""))
		}
	}
	yes := true
	own := PageTool{Frame: "main", Doc: 1, FrameURL: url, Runtime: Native}
	lasting := own
	lasting.Annotations.Cache = &yes
	add(named["tools"], own)
	add(named["cache"], lasting)
	add(named["frame"], PageTool{Frame: "frame", Doc: 2, FrameURL: "https://ads.test/", Runtime: Native, Annotations: lasting.Annotations})
	return tab
}
