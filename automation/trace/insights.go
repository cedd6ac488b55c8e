package trace

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Insight is a finding about a set.
type Insight struct {
	Name    string
	State   string // "fail", "informative" or "pass"
	Summary string
	Details []string
	Wasted  int64
}

const (
	fails  = "fail"
	tells  = "informative"
	passes = "pass"

	maxDetails = 15
)

// checks are the functions that find insights, in the order of the report. nothing is the summary if there is nothing
// to report.
var checks = []struct {
	name, nothing string
	find          func(*Set, *collected, *Insight)
}{
	{"INPBreakdown", "There was no interaction.", (*Set).inpBreakdown},
	{"LCPBreakdown", "There was no largest contentful paint.", (*Set).lcpBreakdown},
	{"LCPDiscovery", "LCP is no image that was fetched.", (*Set).lcpDiscovery},
	{"CLSCulprits", "Nothing shifted.", (*Set).clsCulprits},
	{"RenderBlocking", "No request held the first paint up.", (*Set).renderBlocking},
	{"DocumentLatency", "The document's request isn't in the trace.", (*Set).documentLatency},
	{"FontDisplay", "No font hides text while it loads.", (*Set).fontDisplay},
	{"Viewport", "The page is laid out for mobile.", (*Set).viewport},
	{"DOMSize", "How large the document is.", (*Set).domSize},
	{"Cache", "What can be cached is.", (*Set).cache},
	{"CharacterSet", "The document's request isn't in the trace.", (*Set).characterSet},
	{"ModernHTTP", "Requests use HTTP/2 or HTTP/3, or are too few to matter.", (*Set).modernHTTP},
}

// findInsights runs all checks.
func (s *Set) findInsights(c *collected) {
	for _, check := range checks {
		i := Insight{Name: check.name, State: passes, Summary: check.nothing}
		check.find(s, c, &i)
		if n := len(i.Details); n > maxDetails {
			i.Details = append(i.Details[:maxDetails:maxDetails], fmt.Sprintf("and %d more", n-maxDetails))
		}
		s.Insights = append(s.Insights, i)
	}
}

func state(failed bool) string {
	if failed {
		return fails
	}
	return passes
}

// good returns the state for a metric that is known, depending on whether it is within its limit.
func good(is, limit float64) string {
	if is <= limit {
		return tells
	}
	return fails
}

func (s *Set) lcpBreakdown(_ *collected, i *Insight) {
	if s.LCP == nil {
		return
	}
	i.State = good(*s.Metrics.LCP, 2500)
	i.Summary = fmt.Sprintf("LCP was %.0f ms (%s %s).", *s.Metrics.LCP, s.LCP.Kind, s.LCP.Element)
	if s.LCP.URL != "" {
		i.Details = append(i.Details, "image: "+s.LCP.URL)
	}
	for _, p := range s.LCP.Parts {
		i.Details = append(i.Details, fmt.Sprintf("%s: %.0f ms (%.0f %%)", p.Name, p.MS,
			100*p.MS/max(1, *s.Metrics.LCP)))
	}
	for _, e := range s.LCP.Candidates {
		i.Details = append(i.Details, fmt.Sprintf("until then the largest: %s at %.0f ms", e.Element, e.MS))
	}
}

func (s *Set) lcpDiscovery(c *collected, i *Insight) {
	doc := s.document(c)
	if s.LCP == nil || s.LCP.request == nil || doc == nil {
		return
	}
	r := s.LCP.request
	found := r.IsLinkPreload || r.Initiator.Type == "parser" && r.Initiator.URL == doc.URL
	eager := s.LCP.loading != "lazy" || r.IsLinkPreload
	hinted := r.FetchPriorityHint == "high"
	i.State = state(!found || !eager || !hinted)
	i.Summary = "How early the image of LCP is found and fetched."
	i.Details = []string{check(found, "it is in the document's HTML or preloaded"),
		check(eager, "it isn't loaded lazily"), check(hinted, "it has fetchpriority=high"),
		fmt.Sprintf("it was asked for %.0f ms after the document's first byte", ms(r.TS-doc.firstByteAt()))}
}

func check(ok bool, what string) string {
	if ok {
		return "yes: " + what
	}
	return "NO: " + what
}

func (s *Set) inpBreakdown(_ *collected, i *Insight) {
	if s.INP == nil {
		return
	}
	i.State = good(s.INP.Duration, 200)
	i.Summary = fmt.Sprintf("INP was %.0f ms (%s at %.0f ms).", s.INP.Duration, s.INP.Event, s.INP.At)
	i.Details = []string{fmt.Sprintf("input delay: %.0f ms", s.INP.Delay),
		fmt.Sprintf("processing: %.0f ms", s.INP.Processing),
		fmt.Sprintf("presentation delay: %.0f ms", s.INP.Presentation)}
}

func (s *Set) clsCulprits(_ *collected, i *Insight) {
	if len(s.Shifts) == 0 {
		return
	}
	i.State = good(s.Shifts[0].Score, 0.1)
	i.Summary = fmt.Sprintf("CLS was %.3f, the sum of %s in the worst window.", s.Shifts[0].Score,
		plural(s.Shifts[0].Shifts, "shift"))
	for _, w := range s.Shifts {
		i.Details = append(i.Details, fmt.Sprintf("window at %.0f ms: %.3f, %s, of the elements with backend node ids %v", w.At, w.Score, plural(w.Shifts, "shift"), w.Nodes))
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (s *Set) renderBlocking(c *collected, i *Insight) {
	painted := s.firstPaint(c)
	if painted == 0 {
		return
	}
	for _, r := range c.byTime {
		inBody := r.RenderBlocking == "in_body_parser_blocking" &&
			(r.Priority == "VeryHigh" || r.ResourceType == "Script" && r.Priority == "High")
		if r.hidden || r.Frame != s.nav.frame || !s.has(r.TS) || r.RenderBlocking != "blocking" && !inBody ||
			r.finish == 0 || r.finish > painted {
			continue
		}
		i.Details = append(i.Details, fmt.Sprintf("%s: %.0f ms, %s", r.URL, ms(r.finish-r.TS),
			bytesText(r.EncodedDataLength)))
	}
	if n := len(i.Details); n > 0 {
		i.State, i.Summary = fails, fmt.Sprintf("%s held the first paint (%.0f ms) up.", plural(n, "request"),
			ms(painted-s.From))
	}
}

const (
	slowServer   = 600_000 // microseconds
	ignoredBytes = 1400
)

func (s *Set) documentLatency(c *collected, i *Insight) {
	doc := s.document(c)
	if doc == nil || doc.Timing == nil {
		return
	}
	server := int64((doc.Timing.firstByte() - doc.Timing.SendEnd) * 1000)
	wasted := doc.uncompressed()
	i.State = state(doc.redirected() > 500 || server > slowServer || wasted > 0)
	i.Summary = "How quickly the document came."
	i.Details = []string{
		check(doc.redirected() <= 500, fmt.Sprintf("no redirects (%.0f ms)", ms(doc.redirected()))),
		check(server <= slowServer, fmt.Sprintf("the server answers quickly (%.0f ms)", ms(server))),
		check(wasted == 0, "text is compressed"),
	}
	i.Wasted = wasted
}

// uncompressed estimates how many bytes compression would save.
func (r *request) uncompressed() int64 {
	if r.header("content-encoding") != "" {
		return 0
	}
	share := 0.0
	switch {
	case r.MimeType == "text/css":
		share = 0.8
	case r.MimeType == "text/html", r.MimeType == "text/javascript":
		share = 0.67
	case strings.HasPrefix(r.MimeType, "text/"), strings.Contains(r.MimeType, "json"), strings.Contains(r.MimeType, "javascript"),
		strings.Contains(r.MimeType, "xml"):
		share = 0.5
	}
	if saved := int64(share * float64(r.DecodedBodyLength)); saved >= ignoredBytes {
		return saved
	}
	return 0
}

func (s *Set) fontDisplay(c *collected, i *Insight) {
	for _, f := range c.fonts {
		r := c.requests[fmt.Sprintf("%d.%d", f.PID, f.ID)] // as a renderer numbers its requests
		if !s.has(f.TS) || r == nil || r.hidden || f.Display != "auto" && f.Display != "block" &&
			f.Display != "fallback" || r.finish <= r.TS {
			continue
		}
		i.Details = append(i.Details, fmt.Sprintf("%s: font-display %s, %.0f ms", f.URL, f.Display,
			min(3000, ms(r.finish-r.TS))))
	}
	if n := len(i.Details); n > 0 {
		i.State, i.Summary = fails, fmt.Sprintf("Text waits for %s; font-display: swap or optional shows it at once.",
			plural(n, "font"))
	}
}

func (s *Set) viewport(c *collected, i *Insight) {
	frame := c.main
	if s.nav != nil {
		frame = s.nav.frame
	}
	from := s.From
	for _, v := range c.viewports {
		if v.Frame == frame && s.has(v.TS) {
			i.Details = append(i.Details, "viewport: "+v.Content)
			from = max(from, v.TS)
			break
		}
	}
	for _, k := range c.commits {
		if k.Frame == frame && s.has(k.TS) && k.TS >= from && !k.Mobile {
			i.State, i.Summary = fails, "The viewport isn't optimised for mobile, so that taps may be delayed by up to 300 ms."
			break
		}
	}
}

func (s *Set) domSize(c *collected, i *Insight) {
	var last *dom
	for _, d := range c.dom {
		if s.has(d.TS) && c.ours(d.Frame) && !c.out[d.Frame] && (last == nil || d.TotalElements >= last.TotalElements) {
			last = &d
		}
	}
	if last != nil {
		i.Summary = fmt.Sprintf("The document had %d elements.", last.TotalElements)
		i.Details = append(i.Details, fmt.Sprintf("deepest nesting: %d", last.MaxDepth.Depth),
			fmt.Sprintf("most children: %d, of %s", last.MaxChildren.NumChildren,
				last.MaxChildren.NodeName))
	}
	pid, tid := s.thread(c)
	for _, u := range c.updates {
		if s.has(u.TS) && u.TID == tid && u.PID == pid {
			i.State = tells
			i.Details = append(i.Details, fmt.Sprintf("%s of %d objects at %.0f ms: %.0f ms", u.kind, u.number,
				ms(u.TS-s.From), ms(u.Dur)))
		}
	}
}

var maxAge = regexp.MustCompile(`(?i)\bmax-age\s*=\s*"?(\d+)`)

// static are the types of resources that can be cached.
var static = []string{"Font", "Image", "Media", "Script", "Stylesheet"}

func (s *Set) cache(c *collected, i *Insight) {
	for _, r := range c.byTime {
		if r.hidden || !s.has(r.TS) || !slices.Contains(static, r.ResourceType) || r.StatusCode != 200 &&
			r.StatusCode != 203 && r.StatusCode != 206 || !strings.HasPrefix(r.URL, "http") {
			continue
		}
		control := strings.ToLower(r.header("cache-control"))
		if strings.Contains(control, "no-cache") || strings.Contains(control, "no-store") ||
			strings.Contains(control, "private") || strings.Contains(control, "must-revalidate") ||
			control == "" && strings.Contains(r.header("pragma"), "no-cache") {
			continue
		}
		age, stated := r.lifetime(control)
		if stated && age <= 0 || age >= 30*24*time.Hour {
			continue
		}
		how := "no lifetime"
		if stated {
			how = "cached for " + age.String()
		}
		i.Wasted += int64(float64(r.EncodedDataLength) * (1 - min(1, age.Hours()/(30*24))))
		i.Details = append(i.Details, fmt.Sprintf("%s: %s, %s", r.URL, how, bytesText(r.EncodedDataLength)))
	}
	if n := len(i.Details); n > 0 {
		i.State, i.Summary = fails, fmt.Sprintf("%s could be cached for longer.", plural(n, "resource"))
	}
}

// lifetime says how long a response may be cached, by the server's own clock.
func (r *request) lifetime(control string) (age time.Duration, stated bool) {
	if m := maxAge.FindStringSubmatch(control); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 32)
		if err != nil {
			n = 1<<31 - 1
		}
		return time.Duration(n) * time.Second, true
	}
	expires, err := time.Parse(time.RFC1123, r.header("expires"))
	if err != nil {
		return 0, r.header("expires") != ""
	}
	date, err := time.Parse(time.RFC1123, r.header("date"))
	if err != nil {
		return 0, false
	}
	return expires.Sub(date), true
}

var charsetInType = regexp.MustCompile(`(?i)charset\s*=\s*[a-z0-9_.:()-]{2,}`)

func (s *Set) characterSet(c *collected, i *Insight) {
	doc := s.document(c)
	if doc == nil {
		return
	}
	header := charsetInType.MatchString(doc.header("content-type"))
	meta := ""
	for _, k := range c.charsets {
		if k.Frame == s.nav.frame && s.has(k.TS) {
			meta = k.Disposition
		}
	}
	early := meta == "found-in-first-1024-bytes"
	i.State, i.Summary = state(!header && !early), "Where the document says its encoding."
	i.Details = []string{check(header, "in the Content-Type header"),
		check(early, "in the first 1024 bytes of the HTML")}
}

func (s *Set) modernHTTP(c *collected, i *Insight) {
	origins := map[string][]*request{}
	for _, r := range c.byTime {
		u, err := url.Parse(r.URL)
		if r.hidden || !s.has(r.TS) || err != nil || r.FromServiceWorker || r.cached ||
			!slices.Contains(static, r.ResourceType) || !strings.HasPrefix(strings.ToLower(r.Protocol), "http/1") || local(u.Hostname()) {
			continue
		}
		origins[u.Host] = append(origins[u.Host], r)
	}
	const few = 6
	for _, rs := range origins {
		if len(rs) < few {
			continue
		}
		for _, r := range rs {
			i.Details = append(i.Details, fmt.Sprintf("%s: %s", r.URL, r.Protocol))
		}
	}
	slices.Sort(i.Details)
	if n := len(i.Details); n > 0 {
		i.State, i.Summary = fails, fmt.Sprintf("%s used HTTP/1.1.", plural(n, "request"))
	}
}

func local(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" ||
		strings.HasPrefix(host, "127.")
}
