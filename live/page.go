package live

import (
	"embed"
	"fmt"
	"hash/fnv"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"webmcphub/internal/wording"
	"webmcphub/registry"
)

//go:embed live.html live.css live.js watch.js
var files embed.FS

// Sections are the ids of the parts of the page that are rendered again when something changes.
var Sections = []string{"now", "questions", "running", "call", "one", "console", "calls", "tabs", "clients"}

// TenantsSections are the Sections of the list of tenants.
var TenantsSections = []string{"all"}

// Tenants is the list of a gateway's tenants, each of which has a page.
type Tenants struct {
	Title string
	Now   time.Time
	All   []Tenant
}

// Tenant is one tenant, with the number of its tabs, clients, running calls and open questions.
type Tenant struct {
	Name                            string
	Tabs, Clients, Calls, Questions int
}

// Page is everything that the page shows.
type Page struct {
	Title  string
	Tenant string // the tenant whose page it is; "" if there are no tenants
	Now    time.Time
	Filter Filter
	View
	Questions []Question
	Running   []ShownCall
	Calls     []ShownCall
	Chosen    *Details // the chosen call
	Clients   []Client
	TabActs   []Act
	Settings  []Setting
	Holders   map[registry.TabID]string
	Pictures  bool // tabs can be watched
	Paused
	Console *Console // nil if the hub serves all pages
}

// Console holds the messages of the only page that the hub serves, the newest first.
type Console struct {
	Messages []ConsoleMessage
	Problem  string // why the messages are unknown, or ""
}

// Paused holds the tabs that agents may not use now.
type Paused struct{ PausedTabs map[registry.TabID]bool }

// Query returns the filter as a query. Its values are escaped already.
func (p Page) Query() template.URL { return query(p.Filter) }

func query(f Filter) template.URL { return template.URL(f.Query()) } // url.Values has encoded it

// PageOf returns the page{idx} that the names of an open tab's tools have, or "" if it has no tools.
func (p Page) PageOf(tab registry.TabID) string { return pageIndex(p.catalog, tab) }

// Spans returns the lengths that the timeline may have.
func (p Page) Spans() []time.Duration { return Spans }

// Setting is a pause or a permission, for all agents or for a site, that holds until the user ends it. With an empty
// Text it is an offer to pause all agents.
type Setting struct {
	Text string // "" for the offer
	Act
}

// Act is something that a button does.
type Act struct{ Do, Of, Nonce, Back, Label string }

// Question is a question that waits for an answer.
type Question struct {
	ID, Client, Session, Text, Legend, Nonce string
	Since, Until                             time.Time // Until is zero if no time ends the question
	About                                    *Action   // nil if only Text says what the question is about
	Choices                                  []Choice
	Dates                                    []Date
}

// Answers returns the choices that have buttons of their own: yes, only this once, and no. Others returns the rest.
func (q Question) Answers() []Choice { return q.choices(true) }

// Others returns the choices that are not Answers.
func (q Question) Others() []Choice { return q.choices(false) }

func (q Question) choices(first bool) (some []Choice) {
	once := slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Value == "once" })
	for _, c := range q.Choices {
		switch {
		case c.Value == "no" && once:
			c.Title = "Don't allow"
		case c.Value == "once":
			c.Title = "Allow once"
		}
		answers := len(q.Choices) == 1 || c.Value == "no" || c.Value == "once" || !once && c.Value != decline && q.DatesOf(c) == nil
		if first == answers {
			some = append(some, c)
		}
	}
	return some
}

// DatesOf returns the fields for dates that belong to a choice.
func (q Question) DatesOf(c Choice) []Date {
	if c.Value == "date" {
		return q.Dates
	}
	return nil
}

// QuestionPart is a part of a question's text, in words of the hub, or, if Theirs is true, of the page or the agent.
type QuestionPart struct {
	Theirs bool
	Text   string
}

// Parts splits the question's text. Lines of others' words begin with a bar.
func (q Question) Parts() (all []QuestionPart) {
	for l := range strings.SplitSeq(q.Text, "\n") {
		l, theirs := strings.CutPrefix(l, "| ")
		if n := len(all); n > 0 && all[n-1].Theirs == theirs {
			all[n-1].Text += "\n" + l
		} else {
			all = append(all, QuestionPart{theirs, l})
		}
	}
	return all
}

// Date is a field for a date that may be given with an answer.
type Date struct{ Name, Title, Description string }

// Choice is one possible answer, in words.
type Choice struct{ Value, Title string }

// Means returns a sentence that says what the answer means, or "" if the title is enough.
func (c Choice) Means() string { return meanings[c.Value] }

// withoutAsking ends the sentence about an answer that holds for longer. The answer's title says what is allowed.
const withoutAsking = ", this client may do that without asking you again. Other clients still ask."

var meanings = map[string]string{
	"no":       "This call is refused, and the client is told that you refused it.",
	"once":     "Only this call goes ahead, with what is shown here. The next one asks you again.",
	"document": "Until the page navigates" + withoutAsking,
	"hour":     "For an hour" + withoutAsking,
	"day":      "For 24 hours" + withoutAsking,
	"date":     "Until that day ends" + withoutAsking,
	"always":   "No client asks you about this any more.",
}

// ShownCall is a call as it is shown.
type ShownCall struct {
	Call
	Stop     Act
	Question string // the id of the question that it waits for; "" if none
}

func cutShort(text Text) string {
	return fmt.Sprintf("(the first %d of %d bytes)", len(text.JSON), text.Size)
}

func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// Client is a client as it is shown.
type Client struct {
	Session, Name, Revision, Sees string
	Focus                         registry.TabID
	Lists                         int
	Unheard                       bool
	Acts                          []Act
}

// Try is the form with which a person calls a tool.
type Try struct {
	Title                                           string
	Query                                           template.URL
	Name, Tool, Origin, Description, Nonce, Problem string
	Fields                                          []Field
	Hidden                                          bool
}

// Watch is the page with a tab's picture.
type Watch struct{ Title, Tab, Index, Page, Nonce string }

// Note is a page that says one thing.
type Note struct{ Title, Text, Back string }

// templates parses the templates when the first page is requested.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.Local().Format("15:04:05.000") },
		"query": query,
		"span":  func(d time.Duration) string { return spans[d] },
		"outcomes": func() []string {
			return []string{"", "ok", Wrong, "error", "refused", "cancelled", "timeout", "failed"}
		},
		"columns": func() []Column { return columns },
		"initial": initial,
		"name":    breakable,
		"hue":     hue,
		"unix":    func(t time.Time) int64 { return t.UnixMilli() },
		"plural":  wording.Count,
	}).ParseFS(files, "live.html"))
})

// Column is a column of the table of calls. Sort is "" if calls can't be sorted by the column.
type Column struct{ Title, Sort string }

var columns = []Column{{"Time", "time"}, {"Tool", "tool"}, {"Arguments", ""}, {"Tab", "tab"}, {"Client", "client"},
	{"Outcome", "outcome"}, {"Time taken", "took"}}

// breakable returns a name that browsers can break between its words.
func breakable(name string) template.HTML {
	return template.HTML(betweenWords.Replace(template.HTMLEscapeString(name)))
}

var betweenWords = strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>", ".", ".<wbr>", "-", "-<wbr>")

// initial returns the letter that stands for a site. hue returns one of six colours for the site.
func initial(origin string) string {
	for _, r := range host(origin) {
		return strings.ToUpper(string(r))
	}
	return "?"
}

func hue(origin string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(host(origin)))
	return fmt.Sprintf("hue%d", h.Sum32()%6)
}

func host(origin string) string {
	_, rest, _ := strings.Cut(origin, "://")
	return strings.TrimPrefix(rest, "www.")
}

var spans = map[time.Duration]string{time.Minute: "1 minute", 10 * time.Minute: "10 minutes", time.Hour: "1 hour",
	6 * time.Hour: "6 hours", 24 * time.Hour: "1 day"}

// Render writes a template: "main" for a [Page], "tenants" for [Tenants], one of their sections, "try" for a [Try],
// "watch" for a [Watch], or "note" for a [Note].
func Render(w io.Writer, name string, of any) error { return templates().ExecuteTemplate(w, name, of) }

// Asset returns the style sheet or a script.
func Asset(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil { // it is embedded
		panic(err)
	}
	return b
}
