package check

import (
	"testing"

	"webmcphub/check/lint"
	"webmcphub/check/report"
)

// A crawl stays on the origin, visits no file, and logs nobody out.
func TestCrawlable(t *testing.T) {
	r := &run{}
	for link, want := range map[string]string{
		"http://a.test/b#c": "http://a.test/b", "http://a.test": "http://a.test/", "https://a.test/b": "", "http://b.test/": "",
		"http://a.test:81/": "", "http://a.test/x.PDF": "", "http://a.test/logout": "", "http://a.test/cart?remove=1": "", "mailto:a@a.test": "",
	} {
		if got := r.crawlable(link, "http://a.test/start"); got != want {
			t.Errorf("%s: got %q, want %q", link, got, want)
		}
	}
}

// Of a site, one page with tools is enough; without any, each page says so.
func TestDropNoTools(t *testing.T) {
	none := func() report.Page { return report.Page{Findings: []lint.Finding{{Rule: "no-tools"}, {Rule: "late"}}} }
	all := []report.Page{none(), {Tools: []string{"t"}}}
	if dropNoTools(all); len(all[0].Findings) != 1 || all[0].Findings[0].Rule != "late" {
		t.Errorf("got %+v", all)
	}
	all = []report.Page{none(), none()}
	if dropNoTools(all); len(all[0].Findings) != 2 {
		t.Errorf("got %+v", all)
	}
}
