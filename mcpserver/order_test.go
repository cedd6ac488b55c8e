package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
	"webmcphub/registry"
	"webmcphub/registry/sanitize"
)

// pipeline is a client on pipes of the operating system, which writes from
// several goroutines and keeps what is said, in order.
type pipeline struct {
	t  *testing.T
	in *os.File

	writing sync.Mutex
	last    int

	mu      sync.Mutex
	said    []string // both sides' lines; the client's begin with >
	waiting map[string]chan string
	changed chan struct{} // holds a token from each list_changed
	list    string        // read last
	news    chan struct{} // closed at the next one
}

func (c *pipeline) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, line)
}

var lineID = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":(\d+),`)

func (c *pipeline) read(out io.Reader) {
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if !json.Valid([]byte(line)) {
			c.t.Errorf("not one message: %.200q", line)
		}
		c.note(line)
		if strings.Contains(line, "list_changed") {
			select {
			case c.changed <- struct{}{}:
			default:
			}
		}
		if id := lineID.FindStringSubmatch(line); id != nil {
			c.mu.Lock()
			answer := c.waiting[id[1]]
			delete(c.waiting, id[1])
			c.mu.Unlock()
			if answer == nil {
				c.t.Errorf("an answer to nobody: %.200q", line)
				continue
			}
			answer <- line
		}
	}
}

// ask sends a request; its answer comes on the channel.
func (c *pipeline) ask(method, params string) <-chan string {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.last++
	answer := make(chan string, 1)
	c.mu.Lock()
	c.waiting[fmt.Sprint(c.last)] = answer
	c.mu.Unlock()
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.last, method, params)
	c.note("> " + line)
	if _, err := io.WriteString(c.in, line); err != nil {
		c.t.Error(err)
	}
	return answer
}

// follow reads the list after each list_changed, until ctx ends.
func (c *pipeline) follow(ctx context.Context) {
	for {
		select {
		case <-c.changed:
		case <-ctx.Done():
			return
		}
		list := <-c.ask("tools/list", `{}`)
		c.mu.Lock()
		c.list = list
		close(c.news)
		c.news = make(chan struct{})
		c.mu.Unlock()
	}
}

// listed waits until follow has read of a tool.
func (c *pipeline) listed(tool string) {
	for {
		c.mu.Lock()
		there, news := strings.Contains(c.list, "_"+tool+`"`), c.news
		c.mu.Unlock()
		if there {
			return
		}
		select {
		case <-news:
		case <-time.After(time.Minute):
			c.t.Errorf("%s was never listed", tool)
			return
		}
	}
}

// TestOrderOnRealPipes: calls that change their own pages while others run on
// other pages. Whenever list_changed comes, the next list has news of a call
// that was answered before it.
func TestOrderOnRealPipes(t *testing.T) {
	const callers, rounds = 6, 15
	var changing sync.Mutex // stands for the registry actor
	var h *hub
	offered := make([][]string, callers)
	changed, release := make([]chan struct{}, callers), make([]chan struct{}, callers)
	h = newHub(t, func(_ context.Context, c calls.Call) registry.Result {
		var args struct {
			Page int
			Name string
		}
		if err := json.Unmarshal(c.Args, &args); err != nil {
			t.Error(err)
		}
		offered[args.Page] = append(offered[args.Page], args.Name)
		changing.Lock()
		h.change(tools(fmt.Sprint("P", args.Page), 1, offered[args.Page]...))
		changing.Unlock()
		changed[args.Page] <- struct{}{}
		<-release[args.Page]
		return sanitize.TextResult("made " + args.Name)
	})
	for i := range callers {
		offered[i] = []string{"make"}
		changed[i], release[i] = make(chan struct{}), make(chan struct{})
		h.page(fmt.Sprint("P", i), "https://a.test/", "make")
	}

	serverIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, serverOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &pipeline{t: t, in: in, waiting: map[string]chan string{}, changed: make(chan struct{}, 1), news: make(chan struct{})}
	served := make(chan error, 1)
	go func() {
		served <- h.ServeStdio(context.Background(), serverIn, serverOut)
		serverOut.Close()
	}()
	read := make(chan struct{})
	go func() { defer close(read); c.read(out) }()
	<-c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	<-c.ask("tools/list", `{}`)

	ctx, cancel := context.WithCancel(context.Background())
	var lister, clients sync.WaitGroup
	lister.Go(func() { c.follow(ctx) })
	for i := range callers {
		clients.Go(func() {
			for round := range rounds {
				name := fmt.Sprintf("t%d_%d", i, round)
				answer := c.ask("tools/call", fmt.Sprintf(`{"name":"webmcp_a_test_page%d_make","arguments":{"page":%[1]d,"name":%q}}`, i, name))
				<-changed[i]
				for range 2 { // what was due before the first answer is written before the second
					<-c.ask("ping", `{}`)
				}
				release[i] <- struct{}{}
				if line := <-answer; !strings.Contains(line, "made "+name) {
					t.Errorf("got %s", line)
				}
				c.listed(name)
			}
		})
	}
	clients.Wait()
	cancel()
	lister.Wait()
	in.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	<-read
	serverIn.Close()
	out.Close()
	checkResultsFirst(t, c.said)
}

var made, madeTool = regexp.MustCompile(`made (t\d+_\d+)`), regexp.MustCompile(`"name":"webmcp_a_test_page\d+_(t\d+_\d+)"`)

// checkResultsFirst looks at each list that was asked for after list_changed.
func checkResultsFirst(t *testing.T, said []string) {
	t.Helper()
	answered, known := map[string]bool{}, map[string]bool{}
	var due map[string]bool // the calls answered before a list_changed, nil if none came since the last list
	var asked string        // the id of the list that was asked for since
	notices := 0
	for i, line := range said {
		switch {
		case strings.HasPrefix(line, "> "):
			if strings.Contains(line, `"tools/list"`) {
				asked = lineID.FindStringSubmatch(line[2:])[1]
			}
		case strings.Contains(line, "list_changed"):
			notices++
			if due == nil || asked != "" { // the first since the last list was asked for
				due = map[string]bool{}
				for name := range answered {
					due[name] = true
				}
			}
		case made.MatchString(line):
			answered[made.FindStringSubmatch(line)[1]] = true
		case asked != "" && strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+asked+`,`):
			news := false
			for _, m := range madeTool.FindAllStringSubmatch(line, -1) {
				news = news || !known[m[1]] && due[m[1]]
				known[m[1]] = true
			}
			if due != nil && !news {
				t.Errorf("line %d: the list has no news of a call that was answered before the list_changed for which it was asked", i)
			}
			asked, due = "", nil
		}
	}
	if len(answered) == 0 || notices < 10 {
		t.Errorf("%d calls and %d list_changed prove nothing", len(answered), notices)
	}
}
