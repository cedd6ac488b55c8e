package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait; it costs time only when something is broken.
const patience = 30 * time.Second

// client is a lean MCP client on the client's ends of a hub's pipes. It looks
// into lines no further than it must. One goroutine uses it.
type client struct {
	in  *os.File
	out *os.File
	r   *bufio.Reader
	id  int

	changes int       // list_changed notifications read so far
	changed time.Time // when the last one was read
}

func newClient(in, out *os.File) *client {
	return &client{in: in, out: out, r: bufio.NewReaderSize(out, 1<<20)}
}

const helloLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// hello initializes the session.
func (c *client) hello(b testing.TB) {
	c.write(b, []byte(helloLine))
	if line := c.answer(b, 0); !bytes.Contains(line, []byte(`"serverInfo"`)) {
		b.Fatalf("initialize was answered by %.300s", line)
	}
	c.write(b, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"))
}

func (c *client) write(b testing.TB, line []byte) {
	if _, err := c.in.Write(line); err != nil {
		b.Fatalf("writing to the hub: %v", err)
	}
}

// read gives the next line, valid until the one after, or nil if none came by
// the deadline.
func (c *client) read(b testing.TB, deadline time.Time) []byte {
	if c.r.Buffered() == 0 {
		if err := c.out.SetReadDeadline(deadline); err != nil {
			b.Fatal(err)
		}
	}
	line, err := c.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		head := bytes.Clone(line)
		var rest []byte
		rest, err = c.r.ReadBytes('\n')
		line = append(head, rest...)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && len(line) == 0:
		return nil
	case err != nil:
		b.Fatalf("reading from the hub: %v", err)
	}
	if isListChanged(line) {
		c.changes++
		c.changed = time.Now()
	}
	return line
}

func isListChanged(line []byte) bool {
	return bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"`))
}

// answer gives the response to request id.
func (c *client) answer(b testing.TB, id int) []byte {
	deadline := time.Now().Add(patience)
	prefix := `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,`
	for {
		line := c.read(b, deadline)
		if line == nil {
			b.Fatalf("request %d was not answered in %v", id, patience)
		}
		if bytes.HasPrefix(line, []byte(prefix)) {
			return line
		}
	}
}

// request gives the line of a request and its id.
func (c *client) request(method, params string) (line []byte, id int) {
	c.id++
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params), c.id
}

func callParams(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":{"text":%q}}`, name, text)
}

// call calls an echoing tool and checks the echo.
func (c *client) call(b testing.TB, name, text string) {
	line, id := c.request("tools/call", callParams(name, text))
	c.write(b, line)
	if got := c.answer(b, id); !bytes.Contains(got, []byte(`{"type":"text","text":"`+text+`"}`)) {
		b.Fatalf("%s was answered by %.300s", name, got)
	}
}

// list gives the names of the page tools.
func (c *client) list(b testing.TB) []string {
	line, id := c.request("tools/list", `{}`)
	c.write(b, line)
	return pageTools(c.answer(b, id))
}

// pageTools finds the page tools' names in a tools/list response.
func pageTools(line []byte) (names []string) {
	mark := []byte(`{"name":"webmcp_`)
	for {
		_, rest, found := bytes.Cut(line, mark)
		if !found {
			return names
		}
		name, rest, _ := bytes.Cut(rest, []byte(`"`))
		names = append(names, "webmcp_"+string(name))
		line = rest
	}
}

// listUntil lists the tools, again after each list_changed, until done says so.
func (c *client) listUntil(b testing.TB, done func(names []string) bool) []string {
	deadline := time.Now().Add(patience)
	for {
		before := c.changes
		names := c.list(b)
		if done(names) {
			return names
		}
		for c.changes == before {
			if c.read(b, deadline) == nil {
				b.Fatalf("the list stayed wrong for %v: %s", patience, strings.Join(names, " "))
			}
		}
	}
}

// awaitChange reads until a list_changed has come.
func (c *client) awaitChange(b testing.TB) {
	deadline := time.Now().Add(patience)
	for before := c.changes; c.changes == before; {
		if c.read(b, deadline) == nil {
			b.Fatalf("no list_changed came in %v", patience)
		}
	}
}

// quiet reads until nothing has come for d. A benchmark that measures a hub at
// rest has to let its flush interval pass.
func (c *client) quiet(b testing.TB, d time.Duration) {
	for c.read(b, time.Now().Add(d)) != nil {
	}
}

// having is a condition for listUntil: n tools.
func having(n int) func([]string) bool {
	return func(names []string) bool { return len(names) == n }
}
