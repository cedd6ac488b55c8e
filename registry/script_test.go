package registry

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"webmcphub/internal/scripttest"
	"webmcphub/registry/offer"
)

// TestScripts plays testdata/*.txt: blocks of command lines, "----", and what
// they print, ended by an empty line. Lines that begin with '#' between the
// blocks are comments. `go test ./registry -run TestScripts -update` rewrites
// the outputs; read the diff before you commit it.
func TestScripts(t *testing.T) {
	scripttest.Play(t, func(_ *testing.T, text string) string {
		c := newScript(Options{})
		return scripttest.Blocks(text, func(lines []string) string {
			c.out.Reset()
			c.runBlock(lines)
			return c.out.String()
		})
	})
}

// script is the state behind one file.
type script struct {
	s      *State
	served *Catalog
	tools  map[string]*PageTool // by page, document and line: the same registration is the same pointer
	read   *Catalog             // what "read" remembered
	out    bytes.Buffer
}

func newScript(o Options) *script {
	return &script{s: NewState(o), served: EmptyCatalog(), tools: map[string]*PageTool{}}
}

// runBlock runs commands; indented lines belong to the command before them.
func (c *script) runBlock(lines []string) {
	for i := 0; i < len(lines); {
		command, more := lines[i], []string(nil)
		for i++; i < len(lines) && strings.HasPrefix(lines[i], " "); i++ {
			more = append(more, strings.TrimSpace(lines[i]))
		}
		if err := c.run(command, more); err != nil {
			fmt.Fprintf(&c.out, "error in %q: %v\n", command, err)
		}
	}
}

// run runs one command. Words that hold spaces are written as Go strings.
func (c *script) run(command string, more []string) error {
	args, named, err := scripttest.Words(command)
	if err != nil || len(args) == 0 {
		return fmt.Errorf("bad line: %v", err)
	}
	arg := func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	}
	id := PageID(arg(1))
	switch args[0] {
	case "new": // new [max=N] [stable=true] [tools=N] [pages=N] [settle=true] [naming=mcpb]: begin again with these options
		number := func(key string) int { n, _ := strconv.Atoi(named[key]); return n }
		*c = *newScript(Options{MaxName: number("max"), StableIndex: named["stable"] == "true", MaxTools: number("tools"), MaxPages: number("pages"), Settle: named["settle"] == "true", Naming: offer.Naming(named["naming"])})
	case "open": // open PAGE URL [title=…]
		c.step(PageOpened{Page: id, URL: arg(2), Title: named["title"]})
	case "change": // change PAGE URL [title=…] [state=…] [origin=…]
		c.step(PageChanged{Page: id, URL: arg(2), Origin: named["origin"], Title: named["title"], State: named["state"]})
	case "navigate": // navigate PAGE URL [gen=N] [origin=…]: a new main document; gen is one more than the last unless said
		c.step(Navigated{Page: id, Gen: c.gen(id, named["gen"], 1), URL: arg(2), Origin: named["origin"]})
	case "frames": // frames PAGE [gen=N], then a line for each iframe: ID doc=N [url=…]
		e := FramesReported{Page: id, Gen: c.gen(id, named["gen"], 0)}
		for _, line := range more {
			args, named, err := scripttest.Words(line)
			if err != nil || len(args) == 0 {
				return fmt.Errorf("bad frame %q: %v", line, err)
			}
			doc, _ := strconv.ParseUint(named["doc"], 10, 64)
			e.Frames = append(e.Frames, Frame{ID: FrameID(args[0]), Doc: Gen(doc), URL: named["url"]})
		}
		c.step(e)
	case "report": // report PAGE [gen=N], then a line for each tool: NAME [desc=…] [frame=…] [doc=N] [schema=…]
		e := ToolsReported{Page: id, Gen: c.gen(id, named["gen"], 0)}
		for _, line := range more {
			tool, err := c.tool(id, e.Gen, line)
			if err != nil {
				return err
			}
			e.Tools = append(e.Tools, tool)
		}
		c.step(e)
	case "close": // close PAGE
		c.step(PageClosed{id})
	case "flush": // flush: the flush interval is over
		c.step(FlushDue{})
	case "front": // front PAGE: the user brings it to the front
		c.step(PageInFront{id})
	case "cached": // cached, then a line for each tool that outlives its tab: SITE URL NAME
		var e CacheChanged
		for _, line := range more {
			w, _, err := scripttest.Words(line)
			if err != nil {
				return err
			}
			e.Tools = append(e.Tools, offer.CachedTool{Site: w[0], URL: w[1], Tool: PageTool{Name: w[2]}})
		}
		c.step(e)
	case "choose": // choose NAME [not=PAGE]: which tab a call of a site's tool goes to, or what it opens
		t := c.s.Catalog().Lookup(arg(1))
		if t == nil || t.SiteTool == nil {
			return fmt.Errorf("no tool of a site")
		}
		if h := c.s.Catalog().ChooseTab(t.SiteTool, func(h *HubTool) bool { return string(h.Route.Page) != named["not"] }); h != nil {
			fmt.Fprintf(&c.out, "%s\n", where(h))
		} else {
			fmt.Fprintf(&c.out, "opens %s\n", t.SiteTool.Opens)
		}
	case "settled": // settled PAGE SEQ: the settle window that was armed so is over
		seq, _ := strconv.ParseUint(arg(2), 10, 64)
		c.step(SettleDue{id, seq})
	case "browser": // browser STATUS: "" is connected
		c.step(BrowserChanged{Status: arg(1)})
	case "list": // list: names and descriptions of what the catalog publishes
		for _, t := range c.s.Catalog().Tools() {
			fmt.Fprintf(&c.out, "%s\n  %s\n", t.Name, visible(t.Description))
		}
	case "encoded": // encoded NAME: the tool as it stands in tools/list
		fmt.Fprintf(&c.out, "%s\n", c.s.Catalog().Lookup(arg(1)).Encoded)
	case "tabs": // tabs: the catalog's pages, their tools and refusals
		c.tabs()
	case "read": // read: a client reads the list; resolve knows that one
		c.read = c.s.Catalog()
	case "resolve": // resolve NAME: where a call by this name goes
		if t, err := Resolve(c.read, c.s.Catalog(), arg(1), everybody); err != nil {
			fmt.Fprintf(&c.out, "error: %v\n", err)
		} else {
			fmt.Fprintf(&c.out, "%s -> %s\n", t.Name, where(t))
		}
	default:
		return fmt.Errorf("no such command")
	}
	return nil
}

func (c *script) gen(id PageID, said string, more Gen) Gen {
	if n, err := strconv.ParseUint(said, 10, 64); err == nil {
		return Gen(n)
	}
	if p := c.s.pages[id]; p != nil {
		return p.Gen + more
	}
	return more
}

func (c *script) tool(id PageID, gen Gen, line string) (*PageTool, error) {
	key := fmt.Sprint(id, " ", gen, " ", line)
	if t := c.tools[key]; t != nil {
		return t, nil
	}
	args, named, err := scripttest.Words(line)
	if err != nil {
		return nil, fmt.Errorf("bad tool %q: %v", line, err)
	}
	t := &PageTool{Frame: FrameID(named["frame"]), Doc: gen, Runtime: offer.Native, Name: args[0], Description: named["desc"]}
	if doc, err := strconv.ParseUint(named["doc"], 10, 64); err == nil {
		t.Doc = Gen(doc)
	}
	if schema := named["schema"]; schema != "" {
		t.InputSchema = []byte(schema)
	}
	c.tools[key] = t
	return t, nil
}

// step prints the effects of one event, a line for each.
func (c *script) step(e Event) {
	for _, effect := range c.s.Step(e) {
		switch x := effect.(type) {
		case SetCatalog:
			withdrawn, published := differ(c.served, x.Catalog)
			for _, name := range withdrawn {
				fmt.Fprintf(&c.out, "withdraw %s\n", name)
			}
			for _, t := range published {
				fmt.Fprintf(&c.out, "publish %s -> %s\n", t.Name, where(t))
			}
			c.served = x.Catalog
			fmt.Fprintf(&c.out, "serve version %d: %d tools\n", x.Catalog.Version(), x.Catalog.Len())
		case NotifyListChanged:
			fmt.Fprintf(&c.out, "notify %v\n", x.Pages)
		case ArmSettle:
			fmt.Fprintf(&c.out, "settle %s %d\n", x.Page, x.Seq)
		case ArmFlush:
			fmt.Fprintf(&c.out, "arm\n")
		case ReportRefusal:
			fmt.Fprintf(&c.out, "refuse %s %q: %s\n", x.Page, x.Tool, x.Why)
		}
	}
}

func (c *script) tabs() {
	if status := c.s.Catalog().BrowserStatus(); status != "" {
		fmt.Fprintf(&c.out, "browser: %s\n", status)
	}
	for _, tab := range c.s.Catalog().Tabs() {
		fmt.Fprintf(&c.out, "page%d tab %d %s %s %q %s\n", tab.Index, tab.ID, tab.Page, tab.URL, tab.Title, tab.State)
		for _, t := range tab.Tools {
			fmt.Fprintf(&c.out, "  %s\n", t.Name)
		}
		for _, r := range tab.Refused {
			fmt.Fprintf(&c.out, "  refused %q: %s\n", r.Tool, r.Why)
		}
	}
}

func where(t *HubTool) string {
	r := t.Route
	return strings.TrimSpace(fmt.Sprintf("%s doc %d %q %s", r.Page, r.Doc, r.Tool, r.Frame))
}

// visible shows what a reader of the file could not see.
func visible(s string) string {
	q := strconv.QuoteToGraphic(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}
