package share

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
)

// TestVisit: a visitor is served whatever the owner's settings are, beside its
// client, and the owner doesn't outlive its client for long because of it.
func TestVisit(t *testing.T) {
	dir := newDir(t)
	if _, err := visit(t.Context(), dir, "one Chrome", nil); err != ErrNobody {
		t.Errorf("before there is a hub: %v", err)
	}
	if pids, err := running(dir); err != nil || len(pids) > 0 {
		t.Errorf("running are %v, %v", pids, err)
	}
	owner := start(t, dir, "owner", func(_ *process, o *Options) {
		o.Settings = []Setting{{Name: "--mode", Value: "focus"}}
	})
	owner.whoami()
	if _, err := visit(t.Context(), dir, "another Chrome", nil); err != ErrNobody {
		t.Errorf("for another Chrome: %v", err)
	}
	if pids, err := running(dir); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
		t.Errorf("running are %v, %v", pids, err)
	}
	for _, way := range []func() (*Visitor, error){
		func() (*Visitor, error) { return visit(t.Context(), dir, "one Chrome", nil) },
		func() (*Visitor, error) { return visitProcess(t.Context(), dir, os.Getpid(), nil) },
	} {
		v, err := way()
		if err != nil {
			t.Fatal(err)
		}
		if v.PID != os.Getpid() {
			t.Errorf("the owner is process %d", v.PID)
		}
		if _, err := io.WriteString(v, `{"jsonrpc":"2.0","id":1,"method":"whoami"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(v).ReadString('\n')
		if want := `{"jsonrpc":"2.0","id":1,"result":{"hub":"owner"}}` + "\n"; err != nil || line != want {
			t.Errorf("the visitor got %q, %v", line, err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	_ = owner.in.Close()
	if err := owner.wait(); err != nil {
		t.Error(err)
	}
	if _, err := visit(t.Context(), dir, "one Chrome", nil); err != ErrNobody {
		t.Errorf("after its end: %v", err)
	}
}

// TestVisitSkipsWhatIsNoMessage: owners may tell guests more than MCP messages.
func TestVisitSkipsWhatIsNoMessage(t *testing.T) {
	dir := newDir(t)
	p, err := newHubPaths(dir, "key")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var guest hello
		in := bufio.NewReaderSize(conn, maxHello)
		_ = hear(in, &guest)
		_ = writeLine(conn, welcome{hello: hello{Protocol: protocol, PID: 7}})
		_, _ = io.WriteString(conn, "{\"webmcpHub\":1}\nnonsense\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")
	}()
	v, err := visit(t.Context(), dir, "key", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	all, err := io.ReadAll(v)
	if err != nil || string(all) != "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n" {
		t.Errorf("got %q, %v", all, err)
	}
}

// TestVisitRefused: an owner of another version, and one that hangs.
func TestVisitRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		say  any // nil is nothing
	}{
		{"of another version", welcome{hello: hello{Protocol: protocol + 1, PID: 7}}},
		{"full", welcome{hello: hello{Protocol: protocol, PID: 7}, Refused: "too many"}},
		{"silent", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := newHubPaths(newDir(t), "key")
			if err != nil {
				t.Fatal(err)
			}
			listener, err := p.listen()
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				var guest hello
				_ = hear(bufio.NewReaderSize(conn, maxHello), &guest)
				if c.say == nil {
					cancel() // the visitor's patience is over
					<-t.Context().Done()
					return
				}
				_ = writeLine(conn, c.say)
			}()
			var taken *TakenError
			if _, err := p.visit(ctx, nil); !errors.As(err, &taken) {
				t.Errorf("got %v", err)
			}
		})
	}
}
