package link

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/wire"
)

// sealed gives each name its certificates, all of one CA.
func sealed(t testing.TB, names ...string) map[string]*certs.Files {
	t.Helper()
	files, err := certs.Make(t.TempDir(), names...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*certs.Files{}
	for i, name := range names {
		all[name] = &files[i]
	}
	return all
}

func with(f *certs.Files) func(*Options) { return func(o *Options) { o.TLS = f } }

func TestBySealedConnections(t *testing.T) {
	files := sealed(t, "gateway/g", "node/n", "node/other")
	gateway := start(t, Gateway, "g", with(files["gateway/g"]))
	node := start(t, Node, "n", with(files["node/n"]))
	gateway.talk(node)

	if _, err := Open(Options{Self: Peer{Node, "n", ""}, Listen: "127.0.0.1:0", TLS: files["node/other"]}); err == nil || !strings.Contains(err.Error(), "is that of node other") {
		t.Errorf("opened with another's certificate: %v", err)
	}
}

func TestSealedAndOpenDontMix(t *testing.T) {
	files := sealed(t, "gateway/g", "node/n")
	brief := func(o *Options) { o.Silence = brief }
	gateway, node := start(t, Gateway, "g", brief), start(t, Node, "n", with(files["node/n"]))
	gateway.send(node.self, wire.Want{})
	gateway.lose()
	foreign := start(t, Gateway, "g", func(o *Options) { o.TLS, o.Silence = sealed(t, "gateway/g")["gateway/g"], 2*o.Silence; brief(o) })
	foreign.send(node.self, wire.Want{})
	if lost := foreign.lose(); !strings.Contains(lost.why.Error(), "isn't this cluster's CA") {
		t.Errorf("a gateway of another CA: %v", lost.why)
	}
}

func TestCertificatesOfAnotherCAHoldFromTheNextLinkOn(t *testing.T) {
	dir, names := t.TempDir(), []string{"gateway/g", "node/n"}
	files, err := certs.Make(dir, names...)
	if err != nil {
		t.Fatal(err)
	}
	gateway, node := start(t, Gateway, "g", with(&files[0])), start(t, Node, "n", with(&files[1]))
	gateway.talk(node)
	for _, file := range []string{"ca.pem", "ca-key.pem"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := certs.Make(dir, names...); err != nil {
		t.Fatal(err)
	}
	gateway.talk(node) // the link that there is stays
	node.Close()
	gateway.lose()
	gateway.talk(start(t, Node, "n", with(&files[1])))
}

// records keeps what is logged.
type records struct {
	mu   sync.Mutex
	all  string
	more chan struct{} // holds a token when something has come
}

func (r *records) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all += string(b)
	select {
	case r.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

// have waits until the text has been logged: the other side may hear first that it is refused.
func (r *records) have(text string) bool {
	late := time.After(patient)
	for {
		r.mu.Lock()
		found := strings.Contains(r.all, text)
		r.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-r.more:
		case <-late:
			return false
		}
	}
}

// impostor opens a stream to a link with a certificate, says something first, and gives the error
// by which the stream ends.
func impostor(t *testing.T, at *side, as *certs.Files, identity string, say ...*remote.RemoteMessage) error {
	t.Helper()
	id, err := certs.Parse(identity)
	if err != nil {
		t.Fatal(err)
	}
	set, err := certs.Open(*as, id, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///"+at.Addr(), grpc.WithTransportCredentials(credentials.NewTLS(set.Client(at.self.identity()))))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	stream, err := remote.NewRemotingClient(conn).Receive(ctx)
	if err != nil {
		return err
	}
	for _, m := range say {
		_ = stream.Send(m) // Recv tells why it can't
	}
	for {
		if _, err := stream.Recv(); err != nil {
			return err
		}
	}
}

func TestNobodySpeaksForAnother(t *testing.T) {
	files := sealed(t, "gateway/g", "gateway/h", "node/a", "node/b")
	logged := &records{more: make(chan struct{}, 1)}
	gateway := start(t, Gateway, "g", func(o *Options) {
		o.TLS, o.Logger = files["gateway/g"], slog.New(slog.NewTextHandler(logged, nil))
	})
	node := start(t, Node, "a", func(o *Options) {
		o.TLS, o.Logger = files["node/a"], slog.New(slog.NewTextHandler(logged, nil))
	})
	hello := func() *remote.RemoteMessage { // of another link each time: what is left of the last one isn't taken for it
		return opening{from: "gateway/h", to: "node/a", session: newSession(), address: "127.0.0.1:1"}.message()
	}
	of := func(from, to string, change func(*remote.MessageBatch)) *remote.RemoteMessage {
		m := batch(actor.NewPID("x", from), actor.NewPID("y", to), frames([]byte(`{"kind":"want","body":{}}`)))
		if change != nil {
			change(m.GetMessageBatch())
		}
		return m
	}
	for what, c := range map[string]struct {
		at   *side
		as   string // whose certificate it is
		say  []*remote.RemoteMessage
		says string
	}{
		"a node as another":                  {gateway, "node/b", []*remote.RemoteMessage{opening{from: "node/a", to: "gateway/g", session: "s"}.message()}, "says that it is node a, and its certificate is that of node b"},
		"a node as a gateway":                {node, "node/b", []*remote.RemoteMessage{opening{from: "gateway/g", to: "node/a", session: "s"}.message()}, "the certificate is that of a node"},
		"a gateway as another":               {node, "gateway/h", []*remote.RemoteMessage{opening{from: "gateway/g", to: "node/a", session: "s"}.message()}, "says that it is gateway g"},
		"a gateway as a node":                {node, "gateway/h", []*remote.RemoteMessage{opening{from: "node/b", to: "node/a", session: "s"}.message()}, "links are between gateways and nodes"},
		"to another":                         {node, "gateway/h", []*remote.RemoteMessage{opening{from: "gateway/h", to: "node/b", session: "s"}.message()}, "was meant for node/b, and this is node/a"},
		"nothing before a message":           {node, "gateway/h", []*remote.RemoteMessage{of("gateway/h", "node/a", nil)}, "didn't say who it is"},
		"a message as another":               {node, "gateway/h", []*remote.RemoteMessage{hello(), of("gateway/g", "node/a", nil)}, `as "gateway/g"`},
		"a message to another actor":         {node, "gateway/h", []*remote.RemoteMessage{hello(), of("gateway/h", "gateway/g", nil)}, `to "gateway/g"`},
		"an index beyond the end":            {node, "gateway/h", []*remote.RemoteMessage{hello(), of("gateway/h", "node/a", func(b *remote.MessageBatch) { b.Envelopes[0].TypeId = 7 })}, "isn't a message of ours"},
		"an order to remote's own actors":    {node, "gateway/h", []*remote.RemoteMessage{hello(), of("gateway/h", "node/a", func(b *remote.MessageBatch) { b.TypeNames[0] = "actor.PoisonPill" })}, "isn't a message of ours"},
		"bytes that are no frame":            {node, "gateway/h", []*remote.RemoteMessage{hello(), of("gateway/h", "node/a", func(b *remote.MessageBatch) { b.Envelopes[0].MessageData = []byte{10, 200, 1} })}, "isn't a message of ours"},
		"a message that can't be understood": {node, "gateway/h", []*remote.RemoteMessage{hello(), batch(actor.NewPID("x", "gateway/h"), actor.NewPID("y", "node/a"), frames([]byte(`{"kind":"want","body":7`)))}, "can't be read"},
	} {
		t.Run(what, func(t *testing.T) {
			err := impostor(t, c.at, files[c.as], c.as, c.say...)
			if err == nil || c.as[:4] != string(c.at.self.Role)[:4] && !strings.Contains(err.Error(), c.says) { // those of one role are refused before they can be told
				t.Errorf("it ended by %v; it should say %q", err, c.says)
			}
			if !logged.have(strings.ReplaceAll(c.says, `"`, `\"`)) {
				t.Errorf("the log doesn't say %q", c.says)
			}
		})
	}
	select {
	case at := <-node.got:
		t.Errorf("the node took %#v from %v", at.m, at.from)
	case at := <-gateway.got:
		t.Errorf("the gateway took %#v from %v", at.m, at.from)
	default:
	}
	gateway.talk(node)
}

func TestRemotesOwnQuestionsAreNotAnswered(t *testing.T) {
	node := start(t, Node, "n", nil)
	conn, err := grpc.NewClient("passthrough:///"+node.Addr(), grpc.WithTransportCredentials(node.clientCredentials(Peer{})))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := remote.NewRemotingClient(conn).ListProcesses(t.Context(), &remote.ListProcessesRequest{}); err == nil || !strings.Contains(err.Error(), "not implemented") {
		t.Errorf("the list of actors: %v", err)
	}
}

func TestPlaintextStaysOnThisMachine(t *testing.T) {
	for what, o := range map[string]Options{
		"listening to all":  {Self: Peer{Role: Node, Name: "n"}, Listen: "0.0.0.0:0"},
		"listening, no IP":  {Self: Peer{Role: Node, Name: "n"}, Listen: ":0"},
		"another's address": {Self: Peer{Role: Node, Name: "n", Address: "192.0.2.1:7000"}, Listen: "127.0.0.1:0"},
		"a name":            {Self: Peer{Role: Node, Name: "n", Address: "n.example:7000"}, Listen: "127.0.0.1:0"},
	} {
		if l, err := Open(o); err == nil || !strings.Contains(err.Error(), "beyond this machine") {
			t.Errorf("%s: %v", what, err)
			if l != nil {
				l.Close()
			}
		}
	}
	files := sealed(t, "gateway/g")["gateway/g"]
	if _, err := Open(Options{Self: Peer{Role: Gateway, Name: "g"}, Listen: "0.0.0.0:0", TLS: files}); err == nil || !strings.Contains(err.Error(), "no address by which others reach it") {
		t.Errorf("an address that leads nowhere is told to others: %v", err)
	}
	gateway := start(t, Gateway, "g", nil)
	if err := gateway.Send(Peer{Node, "n", "192.0.2.1:7000"}, wire.Want{}); err == nil || !strings.Contains(err.Error(), "beyond this machine") {
		t.Errorf("sending there: %v", err)
	}
	if err := gateway.Send(Peer{Gateway, "h", "127.0.0.1:1"}, wire.Want{}); err == nil {
		t.Error("a gateway may send to a gateway")
	}
	if err := gateway.Send(Peer{Node, "N/1", "127.0.0.1:1"}, wire.Want{}); err == nil {
		t.Error("any name is taken")
	}
}
