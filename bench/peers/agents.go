package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"webmcphub/bench/peers/server"
)

// An overHTTP is one client of a server that has several.
type overHTTP struct{ client *mcpgo.Client }

// connect waits until the server answers there.
func connect(ctx context.Context, c *chromium, address string) (*overHTTP, error) {
	err := c.until(ctx, "nobody listens at "+address, func() (bool, error) {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
		}
		return err == nil, err
	})
	if err != nil {
		return nil, err
	}
	way, err := transport.NewStreamableHTTP("http://" + address + "/mcp")
	if err != nil {
		return nil, err
	}
	o := &overHTTP{mcpgo.NewClient(way, mcpgo.WithLegacyProtocolOnly())}
	if err := o.client.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = "2025-06-18"
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	_, err = o.client.Initialize(ctx, hello)
	return o, err
}

func (o *overHTTP) Do(ctx context.Context, tool string, args any) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	q := mcp.CallToolRequest{}
	q.Params.Name, q.Params.Arguments = tool, args
	got, err := o.client.CallTool(ctx, q)
	if err != nil {
		return reply{}, err
	}
	r := reply{IsError: got.IsError}
	for _, part := range got.Content {
		if text, ok := part.(mcp.TextContent); ok {
			r.Text += text.Text
		}
	}
	return r, nil
}

// An agent is a client with a tab of its own, which it chose once.
type agent struct {
	*overHTTP
	t       *tab
	heading string
}

// twoAgents has two clients of one server work at the same time, each in its current tab,
// and counts what reached or came from the other's.
func (st *stand) twoAgents(ctx context.Context) error {
	if st.at.serve == nil {
		st.v[confusions] = impossible
		return nil
	}
	st.s.End(toEnd) // the clients of another process come instead
	port, err := freePort()
	if err != nil {
		return err
	}
	s, err := server.Start(st.dir, st.at.serve(st.c, port))
	if err != nil {
		return err
	}
	defer func() {
		_ = s.Signal(os.Interrupt)
		s.End(toEnd)
	}()
	tabs, err := st.c.several(ctx, 2)
	if err != nil {
		return err
	}
	var agents [2]*agent
	for i, t := range tabs {
		a := &agent{t: t, heading: fmt.Sprintf("Heading of agent %d", i)}
		if a.overHTTP, err = connect(ctx, st.c, fmt.Sprint("localhost:", port)); err != nil {
			return fmt.Errorf("%w\nthe server said on stderr:\n%s", err, s.Said())
		}
		defer a.client.Close()
		if _, err := st.c.evaluate(ctx, t, fmt.Sprintf("h1.textContent = %q", a.heading)); err != nil {
			return err
		}
		if _, err := st.at.arrive(ctx, st.c, a, t); err != nil {
			return err
		}
		agents[i] = a
	}
	confused, err := st.together(ctx, agents)
	st.v[confusions], st.v[agentRounds] = float64(confused), float64(st.agents)
	return err
}

// together has both work at the same time, round by round, and counts what went astray.
func (st *stand) together(ctx context.Context, agents [2]*agent) (confused int, err error) {
	for range st.agents {
		var counted [2]int
		var failed [2]error
		var both sync.WaitGroup
		for i, a := range agents {
			both.Go(func() { counted[i], failed[i] = st.round(ctx, a, agents[1-i]) })
		}
		both.Wait()
		if err := errors.Join(failed[:]...); err != nil {
			return 0, err
		}
		confused += counted[0] + counted[1]
		for _, a := range agents {
			if st.c.says(ctx, a.t, "keys", 1) != nil {
				confused++
			}
			if _, err := st.c.evaluate(ctx, a.t, "keys = 0"); err != nil {
				return 0, err
			}
		}
	}
	return confused, nil
}

// round presses a key and takes a snapshot; it gives how many answers were about the other's tab.
func (st *stand) round(ctx context.Context, a, other *agent) (confused int, err error) {
	if _, err := st.at.must(ctx, a, opPress, aim{page: current, text: "a"}); err != nil {
		return 0, err
	}
	r, err := st.at.must(ctx, a, opSnapshot, aim{page: current})
	if err != nil {
		return 0, err
	}
	if strings.Contains(r.Text, other.heading) || !strings.Contains(r.Text, a.heading) {
		confused++
	}
	return confused, nil
}
