package link

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"google.golang.org/grpc"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/wire"
)

// Role is what a process of the cluster is.
type Role string

// The roles.
const (
	Node     Role = "node"
	Gateway  Role = "gateway"
	Operator Role = "operator" // asks nodes how they are, and to leave
)

// Peer is a process of the cluster. Its role and name tell it from all others.
type Peer struct {
	Role    Role
	Name    string // [a-z0-9-]{1,32}
	Address string // host:port, as it is dialled
}

// id is the peer's name on the wire, and that of its actor.
func (p Peer) id() string { return p.identity().ID() }

func (p Peer) String() string { return string(p.Role) + " " + p.Name }

// Options are what a link is opened with.
type Options struct {
	Self   Peer         // Address: where others are told to dial; "" is what Listen came to
	Listen string       // host:port to listen at; loopback unless TLS is set
	TLS    *certs.Files // nil is plaintext, on loopback alone: names are taken on trust then
	// Receive gets a peer's messages in their order, one at a time. It must not block.
	Receive func(from Peer, m wire.Message)
	// Hearing, if not nil, says that a part of a message of a peer's has come, and more of it is to come. It comes in the
	// same order as Receive, and must not block.
	Hearing func(from Peer)
	// Lost says that the link to a peer is over: what either side sent before may have been lost.
	// It comes between the peer's messages, never beside them. Send may be called from within.
	Lost func(peer Peer, why error)
	// Logger is told of links that are lost, and of peers that are refused; nil is nobody.
	Logger *slog.Logger
	// Silence is after how long without a sign of life a peer is lost; 0 is 5 s.
	Silence time.Duration
	// Waiting is how many bytes may wait for one peer; 0 is 128 MiB.
	Waiting int

	window int32         // bytes that may wait for Receive, by tests; 0 is window
	idle   time.Duration // how long a peer without a link is kept, by tests; 0 is mostIdle
}

const (
	// MaxMessage is how many bytes an encoded message may have.
	MaxMessage = 64 << 20

	defaultSilence = 5 * time.Second
	defaultWaiting = 128 << 20
	// mostIdle is how long what is kept of a peer outlives the last link to it.
	mostIdle = time.Minute
)

// What Send refuses with.
var (
	ErrTooMuch  = errors.New("too much waits to be sent there already")
	ErrTooLarge = fmt.Errorf("the message is larger than %d MiB", MaxMessage>>20)
	ErrClosed   = errors.New("the link is closed")
	// ErrNoLink is a node's: only gateways begin links.
	ErrNoLink = errors.New("that gateway has no link with this node")
)

// Link has the links between this process and its peers. It is made by [Open].
type Link struct {
	options  Options
	log      *slog.Logger
	listener net.Listener
	server   *grpc.Server
	system   *actor.ActorSystem
	running  sync.WaitGroup // goroutines of streams
	sending  sync.WaitGroup // those of them that still send
	streams  atomic.Uint64  // how many have come
	certs    *certs.Set     // nil without TLS
	refused  refusals
	decode   func([]byte) (wire.Message, error) // wire.Decode, but in tests

	keeps
	closing sync.Once
}

// keeps are the peers of which something is kept.
type keeps struct {
	mu     sync.Mutex
	peers  map[string]*peer // by id
	made   int              // peers so far
	closed bool
}

// Open listens for peers. Whoever opens it closes it.
func Open(o Options) (*Link, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &Link{options: o, log: o.Logger, decode: wire.Decode, keeps: keeps{peers: map[string]*peer{}}}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("%s can't listen for its peers: %w", o.Self, err)
	}
	l.listener = listener
	if err := errors.Join(l.advertise(), l.openCerts()); err != nil {
		_ = listener.Close()
		return nil, err
	}
	l.serve()
	return l, nil
}

// advertise decides which address others are told.
func (l *Link) advertise() error {
	if l.options.Self.Address != "" {
		return nil
	}
	at := l.listener.Addr().(*net.TCPAddr)
	if at.IP.IsUnspecified() {
		return fmt.Errorf("%s listens on all its addresses, and has no address by which others reach it: give one",
			l.options.Self)
	}
	l.options.Self.Address = at.String()
	return nil
}

// check fills in what was left open.
func (o *Options) check() error {
	if err := o.Self.check(); err != nil {
		return err
	}
	if o.Silence == 0 {
		o.Silence = defaultSilence
	}
	if o.Waiting == 0 {
		o.Waiting = defaultWaiting
	}
	if o.window == 0 {
		o.window = window
	}
	if o.idle == 0 {
		o.idle = mostIdle
	}
	if o.TLS == nil {
		for _, address := range []string{o.Listen, o.Self.Address} {
			if err := OnLoopback(address); address != "" && err != nil {
				return err
			}
		}
	}
	return nil
}

func (p Peer) check() error { return p.identity().Check() }

// peerOf reads a peer's id.
func peerOf(id string) (Peer, error) {
	who, err := certs.Parse(id)
	return Peer{Role: Role(who.Role), Name: who.Name}, err
}

// OnLoopback says why an address, host:port, mustn't be used without TLS.
func OnLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is no address: give HOST:PORT: %w", address, err)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is beyond this machine, and there are no certificates: what goes there could be read and "+
		"forged. Make certificates with webmcp-hub cluster cert, or stay on 127.0.0.1", address)
}

// Addr is where the link listens.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Send sends a message to a peer. It never blocks; any goroutine may call it. A gateway's first
// message to a node begins the link, and so does its first one after the link was lost; what is
// sent while the node is being dialled waits. A node sends only to gateways that have begun a link;
// their to.Address isn't looked at. After an error the message isn't sent.
func (l *Link) Send(to Peer, m wire.Message) error {
	if err := l.checkTo(to); err != nil {
		return err
	}
	raw, err := wire.Encode(m)
	if err != nil {
		return err
	}
	if len(raw) > MaxMessage {
		return ErrTooLarge
	}
	parts := frames(raw)
	return l.with(to, func(p *peer) error { return p.send(to.Address, parts) })
}

func (l *Link) checkTo(to Peer) error {
	if err := to.check(); err != nil {
		return err
	}
	if (to.Role == Node) == (l.options.Self.Role == Node) {
		return fmt.Errorf("%s can't talk with %s: links are between gateways and nodes, and operators and nodes",
			l.options.Self, to)
	}
	if l.options.Self.Role != Node && l.options.TLS == nil {
		return OnLoopback(to.Address)
	}
	return nil
}

// with has do tell something to what this process keeps of a peer, made if there is none yet: it isn't forgotten before
// it has dealt with that. do doesn't block; the error is its own, or ErrClosed.
func (l *Link) with(who Peer, do func(*peer) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	p := l.peers[who.id()]
	if p == nil {
		l.made++
		p = newPeer(l, who, l.made)
		l.peers[who.id()] = p
	}
	return do(p)
}

// forget lets go of an idle peer; false if it has been told something by now.
func (l *Link) forget(p *peer) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || p.untaken.Load() > 0 {
		return false
	}
	delete(l.peers, p.who.id())
	return true
}

// shut lets no peer be added any more, and gives those that there are.
func (l *Link) shut() map[string]*peer {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.peers
	l.peers, l.closed = nil, true
	return all
}

// Close ends all links, and waits until nothing of them runs any more. What was sent before is
// still sent where that takes no longer than lastWords. Neither Receive nor Lost is called
// after it; it mustn't be called from within them.
func (l *Link) Close() { l.closing.Do(l.close) }

func (l *Link) close() {
	for _, p := range l.shut() {
		p.finish()
	}
	l.sending.Wait()
	l.server.Stop()
	l.running.Wait()
	l.system.Shutdown()
}

// period is how often a sign of life is given, and awaited.
func (l *Link) period() time.Duration { return l.options.Silence / (patience + 1) }

func newSession() string { return rand.Text() }
