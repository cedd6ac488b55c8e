package proxytest

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Way is how the proxy lets bytes through.
type Way int

// The ways. Where nothing passes, connections stay open and new ones are accepted, as behind a router that has
// failed: neither side notices anything.
const (
	Open     Way = iota
	Cut          // nothing passes
	ToTarget     // what the target says is held back
	ToCaller     // what callers say is held back
	Slow         // SlowRate bytes a second in each direction of each connection
	Refused      // connections are ended, and no new ones taken
)

// SlowRate is how many bytes a second pass each way of a slow connection.
const SlowRate = 64 << 10

// Proxy accepts connections for another address.
type Proxy struct {
	listener net.Listener
	target   string
	toTarget atomic.Int64 // bytes
	toCaller atomic.Int64

	mu    sync.Mutex
	way   Way
	turn  chan struct{} // closed and replaced when way changes
	conns map[net.Conn]bool
	ended bool
	done  sync.WaitGroup
}

// Listen starts a proxy for target, host:port, at address, or at a free loopback port if address is "".
func Listen(address, target string) (*Proxy, error) {
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, turn: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.done.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Passed returns how many bytes have gone each way.
func (p *Proxy) Passed() (toTarget, toCaller int64) { return p.toTarget.Load(), p.toCaller.Load() }

// Set changes how bytes pass. Bytes that were held back pass when they may again.
func (p *Proxy) Set(w Way) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.way = w
	close(p.turn)
	p.turn = make(chan struct{})
	if w == Refused {
		p.drop()
	}
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.ended = true
	close(p.turn)
	p.turn = make(chan struct{})
	p.drop()
	p.mu.Unlock()
	p.listener.Close()
	p.done.Wait()
}

// drop is called with the lock.
func (p *Proxy) drop() {
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.serve(c) })
	}
}

// keep registers the connection for drop; it returns false if connections are being dropped now.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.way == Refused {
		c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) forget(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

func (p *Proxy) serve(caller net.Conn) {
	if !p.keep(caller) {
		return
	}
	defer p.forget(caller)
	target, err := net.Dial("tcp", p.target)
	if err != nil || !p.keep(target) {
		return
	}
	defer p.forget(target)
	var both sync.WaitGroup
	carry := func(from, to net.Conn, held Way, count *atomic.Int64) {
		p.carry(from, to, held, count)
		from.Close() // so that the other direction ends, too
		to.Close()
	}
	both.Go(func() { carry(caller, target, ToCaller, &p.toTarget) })
	both.Go(func() { carry(target, caller, ToTarget, &p.toCaller) })
	both.Wait()
}

// carry copies bytes from one side to the other, except while they are held or cut.
func (p *Proxy) carry(from, to net.Conn, held Way, count *atomic.Int64) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer[:p.chunk()])
		if n > 0 {
			if !p.pass(held, n) {
				return
			}
			count.Add(int64(n)) // before anybody can have read it
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// chunk is how much is carried at once.
func (p *Proxy) chunk() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.way == Slow {
		return SlowRate / 50
	}
	return 32 << 10
}

// pass waits until n bytes may pass; false if the proxy has ended.
func (p *Proxy) pass(held Way, n int) bool {
	slept := false
	for {
		p.mu.Lock()
		way, turn, ended := p.way, p.turn, p.ended
		p.mu.Unlock()
		switch {
		case ended || way == Refused:
			return false
		case way == Slow && !slept:
			slept = true
			select {
			case <-turn:
			case <-time.After(time.Duration(n) * time.Second / SlowRate):
			}
		case way == Cut || way == held:
			<-turn
		default:
			return true
		}
	}
}
