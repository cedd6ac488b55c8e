package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"

	"webmcphub/cluster/leases"
	"webmcphub/cluster/names"
)

// Options say which etcd to use, and how to connect to it.
type Options struct {
	// Endpoints are http://HOST:PORT or https://HOST:PORT, one for each member of etcd. With only one of several
	// members, the store waits whenever that member hangs.
	Endpoints []string
	// Cluster distinguishes clusters that share one etcd: [a-z0-9-]{1,32}; "" means "hub".
	Cluster string
	// TLS returns the configuration of an https connection. It is called for each connection, from any goroutine; nil
	// trusts the system's authorities. All endpoints are http, or all are https.
	TLS func() (*tls.Config, error)
	// Username and Password are for an etcd with authentication.
	Username, Password string
	Logger             *slog.Logger

	ttl time.Duration // memberTTL, except in tests; whole seconds
}

// memberTTL is how long etcd waits for a silent process before the process's session ends.
const memberTTL = 10 * time.Second

// Open returns a store that etcd keeps. It waits for etcd only if a user is given; then the error says whether etcd
// accepts the user.
func Open(opts Options, client leases.Options) (*leases.Store, error) {
	k, err := newBackend(opts)
	if err != nil {
		return nil, err
	}
	k.candidate = client.Candidate
	return leases.Open(k, client, k.log), nil
}

// backend implements [leases.Backend].
type backend struct {
	client *clientv3.Client
	prefix string // ends in "/", so that no other cluster's keys begin with it
	ttl    time.Duration
	log    *slog.Logger
	// candidate says whether this process is a candidate in the election.
	candidate bool
	campaigns sync.WaitGroup // a cancelled campaign resigns first, which may take until the client is closed
	// session is the current session's lease; 0 while there is none.
	session   atomic.Int64
	notify    func(leases.Event)
	notifying sync.Mutex // held while notify is called
	probed    chan probed
	open      sync.Map // the open connections to members, see noted; hangUp closes them

	epoch    string       // the epoch of the last list; belongs to follow
	revision atomic.Int64 // the newest revision that follow knows
}

// gRPC notices by itself that a member of etcd is frozen: it pings after pingAfter, the shortest time that grpc-go
// allows, and waits pingFor for the answer. probe usually notices it earlier.
const (
	pingAfter = 10 * time.Second
	pingFor   = 3 * time.Second
)

// again says how gRPC redials a member that is away. By default gRPC waits up to two minutes between attempts, so all
// processes would come back late to an etcd that was away for long.
var again = grpc.ConnectParams{
	Backoff: grpcbackoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
		MaxDelay: 2 * time.Second},
	MinConnectTimeout: 20 * time.Second, // a frozen member accepts the connection when it runs again
}

func newBackend(opts Options) (*backend, error) {
	opts.Cluster = cmp.Or(opts.Cluster, "hub")
	opts.Logger = cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	if err := names.Check("cluster", opts.Cluster); err != nil {
		return nil, err
	}
	k := &backend{prefix: "/webmcp-hub/" + opts.Cluster + "/", ttl: cmp.Or(opts.ttl, memberTTL), log: opts.Logger,
		probed: make(chan probed, 1)}
	transport, err := opts.transport(&k.open)
	if err != nil {
		return nil, err
	}
	k.client, err = clientv3.New(clientv3.Config{
		Endpoints: opts.Endpoints, Username: opts.Username, Password: opts.Password,
		DialOptions: []grpc.DialOption{grpc.WithTransportCredentials(transport), grpc.WithConnectParams(again)},
		DialTimeout: 5 * time.Second, DialKeepAliveTime: pingAfter, DialKeepAliveTimeout: pingFor,
		Logger: zap.NewNop(), // the backend reports what matters by OutOfTouch
	})
	if err != nil {
		return nil, fmt.Errorf("etcd at %v can't be used: %w", opts.Endpoints, err)
	}
	return k, nil
}

// Run lists, watches, keeps a session, campaigns, and probes etcd; see [leases.Backend].
func (k *backend) Run(ctx context.Context, tell func(leases.Event)) {
	var all sync.WaitGroup
	k.notify = tell
	for _, loop := range []func(context.Context){k.follow, k.belong, k.stand, k.probe} {
		all.Go(func() { loop(ctx) })
	}
	all.Wait()
	_ = k.client.Close()
	k.campaigns.Wait()
}

// tell calls notify with an event, one call at a time.
func (k *backend) tell(e leases.Event) {
	k.notifying.Lock()
	defer k.notifying.Unlock()
	k.notify(e)
}

var errNoSession = errors.New("there is no session with etcd at the moment")

// Commit carries out a transaction; see [leases.Backend].
func (k *backend) Commit(ctx context.Context, tx leases.Tx) (bool, int64, error) {
	conds := []clientv3.Cmp{clientv3.Compare(clientv3.Value(k.prefix+epochAt), "=", tx.Epoch)}
	for _, on := range tx.If {
		conds = append(conds, clientv3.Compare(clientv3.ModRevision(k.prefix+on.Key), "=", on.Version))
	}
	var ops []clientv3.Op
	for _, p := range tx.Put {
		var with []clientv3.OpOption
		switch {
		case p.SameSession:
			with = append(with, clientv3.WithIgnoreLease())
		case p.Session:
			lease := k.session.Load()
			if lease == 0 {
				return false, 0, errNoSession
			}
			with = append(with, clientv3.WithLease(clientv3.LeaseID(lease)))
		}
		ops = append(ops, clientv3.OpPut(k.prefix+p.Key, string(p.Value), with...))
	}
	for _, key := range tx.Delete {
		ops = append(ops, clientv3.OpDelete(k.prefix+key))
	}
	resp, err := k.client.Txn(ctx).If(conds...).Then(ops...).Commit()
	if err != nil {
		return false, 0, err
	}
	return resp.Succeeded, resp.Header.Revision, nil
}
