package check

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"webmcphub/check/lint"
	"webmcphub/check/probe"
	"webmcphub/check/report"
)

// files are extensions of links that lead to no pages.
var files = []string{".pdf", ".zip", ".gz", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".mp3", ".mp4", ".webm", ".css",
	".js", ".json", ".xml", ".txt", ".csv", ".ico", ".dmg", ".exe", ".woff2"}

// leaving are words in addresses that end the user's session or change something.
var leaving = []string{"logout", "log-out", "log_out", "signout", "sign-out", "sign_out", "delete", "remove", "unsubscribe"}

// follow adds the pages that a page links to, and for the first page of an origin those that the origin's sitemap
// lists, to the pages to check, up to the limit of the crawl.
func (r *run) follow(ctx context.Context, tab *probe.Tab, page lint.SeenPage) {
	links := page.Links
	if !r.mapped[page.Origin] {
		r.mapped[page.Origin] = true
		links = append(slices.Clone(links), tab.Sitemap(ctx)...)
	}
	for _, link := range links {
		if len(r.pages) >= r.Crawl {
			return
		}
		if to := r.crawlable(link, page.Asked); to != "" && !slices.ContainsFunc(r.pages, func(known string) bool {
			return withoutFragment(known) == to
		}) {
			r.pages = append(r.pages, to)
		}
	}
}

// crawlable returns the address of a link without its fragment, or "" if the crawl doesn't follow the link.
func (r *run) crawlable(link, base string) string {
	from, err1 := url.Parse(base)
	to, err2 := url.Parse(link)
	if err1 != nil || err2 != nil || to.Scheme != from.Scheme || to.Host != from.Host ||
		slices.Contains(files, strings.ToLower(path.Ext(to.Path))) ||
		slices.ContainsFunc(leaving, func(word string) bool { return strings.Contains(strings.ToLower(link), word) }) {
		return ""
	}
	return withoutFragment(link)
}

func withoutFragment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Fragment = ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// dropNoTools removes the finding that a page has no tools if another page has some, because a site needs tools only
// on some pages.
func dropNoTools(pages []report.Page) {
	if !slices.ContainsFunc(pages, func(p report.Page) bool { return len(p.Tools) > 0 }) {
		return
	}
	for i := range pages {
		pages[i].Findings = slices.DeleteFunc(pages[i].Findings, func(f lint.Finding) bool { return f.Rule == "no-tools" })
	}
}
