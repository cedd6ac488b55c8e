package listing

import (
	"fmt"
	"strings"

	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
	"webmcphub/registry/tokencount"
)

// tabs returns one line for each tab, with its title if these lines fit; otherwise without titles; otherwise one line
// for all tabs of a host. If none of these fits, it returns the first tabs after from that do.
func (r *Request) tabs(from *Cursor) Answer {
	o := browsersOf(r)
	o.Detail = tabsOnly
	o.Note = "Each is a tab's id, its site, how many tools it has and its title. Give an id as tab to see that " +
		"tab's tools."
	if o.Browsers != nil {
		o.Note += " A site is followed by @ and the name of the tab's browser."
	}
	tabs := r.Catalog.Tabs()
	if from != nil {
		tabs = tabs[place(tabs, from.tab)+1:]
	}
	if n := len(r.Catalog.SiteTools()); n > 0 && from == nil {
		o.Tabs = append(o.Tabs, fmt.Sprintf("any %d tools of sites", n))
	}
	left := r.room(tokencount.Estimate(sanitize.Encode(o)) + 10) // for the members tabs and tokens
	forms := []func([]*registry.Tab) []string{titled, untitled}
	if from == nil {
		forms = append(forms, byHost)
	}
	for _, form := range forms {
		if len(tabs)*3 > left {
			break
		}
		if lines := form(tabs); linesCost(lines) <= left {
			o.Tabs = append(o.Tabs, lines...)
			return o.answer(true)
		}
	}
	left -= 40 // for a cursor and the note about it
	shown := 0
	for _, t := range tabs {
		line := untitled([]*registry.Tab{t})
		if left -= linesCost(line); left < 0 && shown > 0 {
			break
		}
		o.Tabs = append(o.Tabs, line...)
		shown++
	}
	if shown < len(tabs) {
		o.NextCursor = (&Cursor{scope: tabsOnly, tab: tabs[shown-1].ID}).String()
		o.Note += fmt.Sprintf(" %d more tabs: give nextCursor as cursor.", len(tabs)-shown)
	}
	return o.answer(true)
}

func linesCost(lines []string) (cost int) {
	if len(lines) == 0 {
		return 0
	}
	return tokencount.Estimate(sanitize.Encode(lines))
}

func titled(tabs []*registry.Tab) []string {
	return lines(tabs, func(t *registry.Tab) string {
		line := fmt.Sprintf("%d %s %d %s", t.ID, hostOf(t), len(t.Tools), oneLine(t.ShownTitle(60)))
		if t.State != "" {
			line += " [" + t.State + "]"
		}
		return strings.TrimRight(line, " ")
	})
}

func oneLine(title string) string { return strings.Join(strings.Fields(title), " ") }

func untitled(tabs []*registry.Tab) []string {
	return lines(tabs, func(t *registry.Tab) string { return fmt.Sprintf("%d %s %d", t.ID, hostOf(t), len(t.Tools)) })
}

func lines(tabs []*registry.Tab, line func(*registry.Tab) string) []string {
	all := make([]string, len(tabs))
	for i, t := range tabs {
		all[i] = line(t)
	}
	return all
}

// byHost returns one line for each host, with the ids of its tabs and how many tools they have together, in the order
// of each host's first tab.
func byHost(tabs []*registry.Tab) (all []string) {
	type group struct {
		ids   []string
		tools int
	}
	groups := map[string]*group{}
	var hosts []string
	for _, t := range tabs {
		host := hostOf(t)
		if groups[host] == nil {
			groups[host] = &group{}
			hosts = append(hosts, host)
		}
		g := groups[host]
		g.ids = append(g.ids, fmt.Sprint(t.ID))
		g.tools += len(t.Tools)
	}
	for _, host := range hosts {
		all = append(all, fmt.Sprintf("%s %s %d", strings.Join(groups[host].ids, ","), host, groups[host].tools))
	}
	return all
}

// hostOf names a tab's site as briefly as possible.
func hostOf(t *registry.Tab) string {
	host := strings.TrimPrefix(names.DisplayHost(t.URL), "www.")
	if host == "" {
		host = "-"
	}
	host = sanitize.Text(host, 60)
	if t.Browser != "" {
		host += "@" + t.Browser
	}
	return host
}
