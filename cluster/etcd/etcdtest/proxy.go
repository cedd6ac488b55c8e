package etcdtest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy is a way to an etcd that can be cut.
type Proxy struct {
	URL string
	to  string

	mu    sync.Mutex // guards what follows
	cut   bool
	conns map[net.Conn]bool
}

// NewProxy leads to the etcd at url until the test ends.
func NewProxy(t testing.TB, url string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{URL: "http://" + l.Addr().String(), to: strings.TrimPrefix(url, "http://"), conns: map[net.Conn]bool{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.carry(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.Cut()
		all.Wait()
	})
	return p
}

// Cut ends all connections, and takes no others.
func (p *Proxy) Cut() { p.set(true) }

// Mend takes connections again.
func (p *Proxy) Mend() { p.set(false) }

func (p *Proxy) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut = cut; cut {
		for c := range p.conns {
			_ = c.Close()
		}
	}
}

// keep notes a connection, or closes it if the way is cut.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	_ = c.Close()
}

func (p *Proxy) carry(from net.Conn) {
	if !p.keep(from) {
		return
	}
	defer p.drop(from)
	to, err := net.Dial("tcp", p.to)
	if err != nil || !p.keep(to) {
		return
	}
	defer p.drop(to)
	back := make(chan struct{})
	go func() {
		_, _ = io.Copy(from, to)
		_ = from.Close()
		close(back)
	}()
	_, _ = io.Copy(to, from)
	_ = to.Close()
	<-back
}
