package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A tapedHub is a hub on pipes of the test's own, with everything that is said
// on them on tape. Any goroutine may ask it things.
type tapedHub struct {
	t      *testing.T
	cmd    *exec.Cmd
	pipes  []*os.File // our ends: stdin, stdout, stderr
	stderr *log
	tape   *tape
	// changed holds a token from each list_changed until follow takes it.
	changed chan struct{}
	exited  chan struct{} // closed when the process has ended

	writing sync.Mutex // of whoever writes to stdin; guards last too
	last    int

	mu      sync.Mutex // guards what follows
	waiting map[int]chan string
	wanted  map[string]chan struct{} // closed when a list has the tool
	list    string                   // the last one
	news    chan struct{}            // closed at the next one
}

func startTaped(t *testing.T, flags ...string) *tapedHub {
	t.Helper()
	h := &tapedHub{
		t: t, stderr: &log{}, tape: newTape(), changed: make(chan struct{}, 1), exited: make(chan struct{}),
		waiting: map[int]chan string{}, wanted: map[string]chan struct{}{}, news: make(chan struct{}),
	}
	h.cmd = exec.Command(hubUnderTest(t), append([]string{"--log-level", "debug"}, flags...)...)
	h.cmd.Env = environ(t)
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	errs, theirErrs := pipe(t)
	h.cmd.Stdin, h.cmd.Stdout, h.cmd.Stderr = theirIn, theirOut, theirErrs
	h.pipes = []*os.File{in, out, errs}
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, theirs := range []*os.File{theirIn, theirOut, theirErrs} {
		_ = theirs.Close()
	}
	var readers sync.WaitGroup
	readers.Go(func() { h.read(out) })
	readers.Go(func() { _, _ = io.Copy(h.stderr, errs) })
	go func() {
		_ = h.cmd.Wait()
		readers.Wait()
		close(h.exited)
	}()
	t.Cleanup(func() {
		_ = in.Close()
		h.waitExit()
		h.hangUp()
		h.tape.check(t)
		h.stderr.check(t)
	})
	return h
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// hangUp closes all that the test holds, at once, as the end of a client's
// process does, however it ends.
func (h *tapedHub) hangUp() {
	for _, p := range h.pipes {
		_ = p.Close()
	}
}

// waitExit waits until the process has ended and returns its exit code, or -1
// when a signal ended it.
func (h *tapedHub) waitExit() int {
	h.t.Helper()
	select {
	case <-h.exited:
	case <-time.After(patience):
		h.t.Errorf("the hub hasn't ended after %v", patience)
		_ = h.cmd.Process.Kill()
		<-h.exited
	}
	return h.cmd.ProcessState.ExitCode()
}

// read is the only one who reads stdout.
func (h *tapedHub) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		text, err := lines.ReadString('\n')
		if errors.Is(err, os.ErrClosed) { // hangUp has cut the last line off
			return
		}
		if text != "" {
			h.tape.add(theHub, text)
			h.heard(text)
		}
		if err != nil {
			return
		}
	}
}

// answerHead begins the hub's answers. The lists among them are long, and to
// parse them all here would hold up the reading; checkOrder does it afterwards.
var answerHead = regexp.MustCompile(`^\{"jsonrpc":"2\.0","id":(\d+),"`)

func (h *tapedHub) heard(text string) {
	if strings.Contains(text[:min(len(text), 100)], `"notifications/tools/list_changed"`) {
		poke(h.changed)
	}
	head := answerHead.FindStringSubmatch(text[:min(len(text), 100)])
	if head == nil {
		return
	}
	id, _ := strconv.Atoi(head[1])
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[id] == nil {
		return
	}
	h.waiting[id] <- text
	delete(h.waiting, id)
	if strings.HasPrefix(text[len(head[0]):], `result":{"tools":[`) {
		h.list = text
		close(h.news)
		h.news = make(chan struct{})
		for name, listed := range h.wanted {
			if lists(text, name) {
				close(listed)
				delete(h.wanted, name)
			}
		}
	}
}

// lists says whether a tool is in an answer to tools/list.
func lists(list, name string) bool { return strings.Contains(list, `"name":"`+name+`"`) }

// write puts whole lines on tape and on the pipe.
func (h *tapedHub) write(touches []string, lines ...string) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	return h.writeLocked(touches, lines...)
}

func (h *tapedHub) writeLocked(touches []string, lines ...string) error {
	all := ""
	for _, l := range lines {
		h.tape.add(theClient, l+"\n", touches...)
		all += l + "\n"
	}
	_, err := io.WriteString(h.pipes[0], all)
	return err
}

// begin sends a request, and whatever more lines follow it in the same write.
func (h *tapedHub) begin(method string, params map[string]any, touches []string, more ...func(id int) string) (id int, answer <-chan string, err error) {
	h.writing.Lock()
	defer h.writing.Unlock()
	h.last++
	id = h.last
	waits := make(chan string, 1)
	h.mu.Lock()
	h.waiting[id] = waits
	h.mu.Unlock()
	lines := []string{asLine(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})}
	for _, line := range more {
		lines = append(lines, line(id))
	}
	return id, waits, h.writeLocked(touches, lines...)
}

var errPatience = errors.New("no answer came")

// ask sends a request and waits for its answer, which is a line.
func (h *tapedHub) ask(method string, params map[string]any, touches ...string) (string, error) {
	id, answer, err := h.begin(method, params, touches)
	if err != nil {
		return "", err
	}
	return h.await(id, answer)
}

func (h *tapedHub) await(id int, answer <-chan string) (string, error) {
	select {
	case text := <-answer:
		if strings.HasPrefix(text, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error"`, id)) {
			return text, fmt.Errorf("request %d: %s", id, text)
		}
		return text, nil
	case <-h.exited:
		return "", fmt.Errorf("request %d: the hub has ended", id)
	case <-time.After(patience):
		return "", fmt.Errorf("request %d: %w", id, errPatience)
	}
}

// called is a tool's result.
type called struct {
	Content []struct{ Text string }
	IsError bool
}

// resultOf is what an answer to tools/call says, with "error: " before it where it is one.
func resultOf(answer string) string {
	var m message
	var r called
	if json.Unmarshal([]byte(answer), &m) != nil || json.Unmarshal(m.Result, &r) != nil || len(r.Content) == 0 {
		return answer
	}
	if r.IsError {
		return "error: " + r.Content[0].Text
	}
	return r.Content[0].Text
}

func call(tool string, args map[string]any) map[string]any {
	return map[string]any{"name": tool, "arguments": args}
}

func (h *tapedHub) initialize() {
	h.t.Helper()
	_, err := h.ask("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "taped", "version": "0"},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.must(h.write(nil, `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

func (h *tapedHub) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// follow asks for the list now and after each list_changed, as clients do,
// until ctx ends.
func (h *tapedHub) follow(ctx context.Context) {
	for {
		if _, err := h.ask("tools/list", map[string]any{}); err != nil {
			h.t.Error(err)
			return
		}
		select {
		case <-h.changed:
		case <-ctx.Done():
			return
		}
	}
}

// waitListed waits until a tool is in a list that was asked for.
func (h *tapedHub) waitListed(name string) error {
	h.mu.Lock()
	listed := h.wanted[name]
	if listed == nil {
		listed = make(chan struct{})
		h.wanted[name] = listed
	}
	there := lists(h.list, name)
	h.mu.Unlock()
	if there {
		return nil
	}
	select {
	case <-listed:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s was in no list for %v", name, patience)
	}
}

var listedName = regexp.MustCompile(`"name":"(webmcp_[^"]*)"`)

// waitList waits until the list that was read last has exactly these page
// tools, which are sorted, without asking for it.
func (h *tapedHub) waitList(want []string) error {
	deadline := time.After(patience)
	for {
		h.mu.Lock()
		list, news := h.list, h.news
		h.mu.Unlock()
		var names []string
		for _, name := range listedName.FindAllStringSubmatch(list, -1) {
			names = append(names, name[1])
		}
		if slices.Sort(names); slices.Equal(names, want) {
			return nil
		}
		select {
		case <-news:
		case <-deadline:
			return fmt.Errorf("the last list has\n%q\nand true is\n%q", names, want)
		}
	}
}
