package probe

import (
	"context"
	"encoding/base64"
	"encoding/xml"
	"html"
	"strings"
	"time"
)

// Limits for the sitemap of a site.
const (
	sitemapTime  = 10 * time.Second
	maxSitemap   = 4 << 20 // bytes
	maxSitemaps  = 10      // of an index
	maxAddresses = 1_000
)

// Sitemap returns the addresses that the sitemap.xml of the page's origin lists; none if there is no such file. The
// page itself loads the file, with its cookies.
func (t *Tab) Sitemap(ctx context.Context) (all []string) {
	ctx, cancel := context.WithTimeout(ctx, sitemapTime)
	defer cancel()
	raw, err := t.ask(ctx, "location.origin")
	if err != nil {
		return nil
	}
	left := []string{strings.Trim(string(raw), `"`) + "/sitemap.xml"}
	for n := 0; len(left) > 0 && n <= maxSitemaps && len(all) < maxAddresses; n++ {
		pages, maps := readSitemap(t.load(ctx, left[0]))
		all, left = append(all, pages...), append(left[1:], maps...)
	}
	return all[:min(len(all), maxAddresses)]
}

// readSitemap returns the pages that a sitemap lists, and the sitemaps that an index of them lists.
func readSitemap(text string) (pages, maps []string) {
	var is struct {
		URL []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
		Sitemap []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	if xml.Unmarshal([]byte(text), &is) != nil {
		return nil, nil
	}
	for _, u := range is.URL {
		pages = append(pages, html.UnescapeString(strings.TrimSpace(u.Loc)))
	}
	for _, m := range is.Sitemap {
		maps = append(maps, html.UnescapeString(strings.TrimSpace(m.Loc)))
	}
	return pages, maps
}

// load returns the text of a file that the page loads; "" if that fails.
func (t *Tab) load(ctx context.Context, address string) string {
	var loaded struct {
		Resource struct {
			Success        bool
			HTTPStatusCode float64
			Stream         string
		}
	}
	conn := t.browser.conn
	if conn.Call(ctx, t.session, "Network.loadNetworkResource", map[string]any{"frameId": string(t.page), "url": address,
		"options": map[string]any{"disableCache": false, "includeCredentials": true}}, &loaded) != nil ||
		!loaded.Resource.Success {
		return ""
	}
	defer conn.Post(t.session, "IO.close", map[string]any{"handle": loaded.Resource.Stream}, nil)
	var b strings.Builder
	for b.Len() < maxSitemap {
		var part struct {
			Data          string
			Base64Encoded bool
			EOF           bool
		}
		if conn.Call(ctx, t.session, "IO.read", map[string]any{"handle": loaded.Resource.Stream}, &part) != nil {
			return ""
		}
		if part.Base64Encoded {
			raw, err := base64.StdEncoding.DecodeString(part.Data)
			if err != nil {
				return ""
			}
			part.Data = string(raw)
		}
		b.WriteString(part.Data)
		if part.EOF {
			break
		}
	}
	if loaded.Resource.HTTPStatusCode != 200 {
		return ""
	}
	return b.String()
}
