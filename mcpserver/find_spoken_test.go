package mcpserver

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"webmcphub/mcpserver/listing"
	"webmcphub/mcpserver/view"
	"webmcphub/registry"
	"webmcphub/registry/names"
	"webmcphub/registry/offer"
	"webmcphub/registry/tokencount"
)

// spokenSites is how many of the sites of registry/find/testdata/quality are open in TestSpokenQuestions: as many as a
// person has tabs. The questions are about these.
const spokenSites = 30

// TestSpokenQuestions asks find_webmcp_tools what people would say, in five languages, while the tools are in English.
// A question is answered if a right tool is in the answer, or if the answer's map names the right site, whose tools the
// next call lists.
func TestSpokenQuestions(t *testing.T) {
	read := func(name string, into any) {
		raw, err := os.ReadFile("../registry/find/testdata/quality/" + name)
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var sites []struct {
		Site, Title string
		Tools       []struct {
			Name, Title, Description string
			InputSchema              json.RawMessage
		}
	}
	var questions []struct {
		Q, Lang string
		Want    [][2]string
	}
	read("sites.json", &sites)
	read("spoken.json", &questions)
	h := newHub(t, echo)
	for i, s := range sites[:spokenSites] {
		page := fmt.Sprint("P", i)
		url := "https://" + s.Site + "/"
		is := registry.ToolsReported{Page: registry.PageID(page), Gen: 1}
		for _, tool := range s.Tools {
			is.Tools = append(is.Tools, &registry.PageTool{Name: tool.Name, Title: tool.Title, Description: tool.Description,
				InputSchema: tool.InputSchema, Frame: registry.FrameID(page), Doc: 1, FrameURL: url, Runtime: offer.Native})
		}
		h.change(open(page, url), navigated(page, 1, url), registry.PageChanged{Page: registry.PageID(page), URL: url, Title: s.Title}, is)
	}
	type figures struct{ asked, first, found, mapped, wrong, tokens, largest int }
	by := map[string]*figures{}
	for _, q := range questions {
		l := view.New(view.Settings{Mode: view.AllTabs, MaxName: names.DefaultMaxName}, view.Setup{Served: h.current.Load()})
		r, _ := h.calls.Finder.Answer(t.Context(), listing.FindArguments{Query: q.Q}, listing.Asker{ClientView: l, Kept: func(*registry.Tab) bool { return false }})
		var told struct{ StructuredContent foundOutput }
		if err := json.Unmarshal(r.JSON, &told); err != nil {
			t.Fatal(err)
		}
		o := told.StructuredContent
		rank := slices.IndexFunc(o.Tools, func(f struct {
			Name, Signature, Description string
			Also                         []string
			InputSchema                  json.RawMessage
		}) bool {
			return slices.ContainsFunc(q.Want, func(w [2]string) bool {
				return strings.HasPrefix(f.Signature, w[1]+"(") && strings.Contains(f.Signature, ") "+w[0])
			})
		})
		mapped := slices.ContainsFunc(q.Want, func(w [2]string) bool { return strings.Contains(o.Note, w[0]+" (") })
		raw, _ := json.Marshal(o)
		n := tokencount.Estimate(raw)
		for _, name := range []string{"all", q.Lang} {
			f := by[name]
			if f == nil {
				f = &figures{}
				by[name] = f
			}
			f.asked++
			f.tokens += n
			f.largest = max(f.largest, n)
			switch {
			case rank >= 0:
				f.found++
				if rank < 5 {
					f.first++
				}
			case mapped:
				f.mapped++
			default:
				f.wrong++
			}
		}
		if n > 600 {
			t.Errorf("%q is answered in %d tokens", q.Q, n)
		}
		if rank < 0 && !mapped {
			t.Logf("not answered: %s", q.Q)
		}
	}
	var table strings.Builder
	table.WriteString("| questions | asked | right tool in the answer | among the first five | by the map | not | tokens, mean | largest |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, name := range []string{"en", "de", "fr", "es", "ja", "all"} {
		f := by[name]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", name, f.asked, f.found, f.first, f.mapped, f.wrong, f.tokens/f.asked, f.largest)
	}
	t.Log("\n" + table.String())
	if all := by["all"]; float64(all.found+all.mapped) < 0.9*float64(all.asked) {
		t.Errorf("%d of %d are answered", all.found+all.mapped, all.asked)
	}
}

// TestNoSiteFloodsTheAnswer: a site whose tools are named like the question gets two of the first five places, unless
// the question names it or asks for its tools only.
func TestNoSiteFloodsTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newHub(t, echo)
		h.page("A", "https://flood.test/", "email", "send", "send_email", "email_send", "send_an_email", "send_emails")
		h.page("B", "https://mail.test/", "compose_email")
		h.page("C", "https://notes.test/", "email_note")
		h.page("D", "https://crm.test/", "email_customer")
		c := h.connect(true)
		c.handshake()
		flooding := func(args string) (n int) {
			for _, name := range c.find(args).names()[:5] {
				if strings.Contains(name, "flood") {
					n++
				}
			}
			return n
		}
		for args, want := range map[string]int{
			`{"query":"send email"}`: 2, `{"query":"send email with flood"}`: 5, `{"query":"send email","site":"flood.test"}`: 5,
		} {
			if got := flooding(args); got != want {
				t.Errorf("%s: %d of the first five are its tools, want %d", args, got, want)
			}
		}
		c.hangUp()
	})
}
