package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"webmcphub/cluster/gateway"
	"webmcphub/cluster/leases"

	"webmcphub/cmd/webmcp-hub/process"

	"webmcphub/mcpserver"
)

// tenantsFlag says who may use the gateway, if it has several tenants.
type tenantsFlag struct {
	Tenants string `type:"path" placeholder:"FILE" help:"Who may use the gateway over HTTP (YAML): each tenant's name, token and quota. A tenant sees the browsers alone that it has acquired. With --etcd, --listen and --no-stdio. Read again when it changes."`
}

func (f tenantsFlag) check(http process.HTTPFlags, store storeFlags) error {
	switch {
	case f.Tenants == "":
		return nil
	case len(store.Etcd) == 0:
		return errors.New("--tenants goes with --etcd URL: tenants see the browsers that they have acquired, and " +
			"etcd keeps who has acquired which browser")
	case http.Listen == "" || http.Stdio:
		return errors.New("--tenants goes with --listen ADDR and --no-stdio: an HTTP client's token says " +
			"which tenant it is")
	case !http.Token || http.TokenFile != "":
		return errors.New("--tenants excludes --token-file and --no-token: the tokens are those in the file of --tenants")
	}
	return nil
}

// open opens the file and the port. It returns a nil file without the flag.
func (f tenantsFlag) open(http process.HTTPFlags, log *slog.Logger) (*TenantsFile, *process.HTTPListener, error) {
	if f.Tenants == "" {
		l, err := http.Open(log)
		return nil, l, err
	}
	file, err := OpenTenants(f.Tenants, log)
	if err != nil {
		return nil, nil, err
	}
	l, err := http.OpenTo("each tenant's own, see "+f.Tenants, log)
	return file, l, err
}

// leaseFlags say how long browsers are leased.
type leaseFlags struct {
	LeaseIdle time.Duration `default:"15m" placeholder:"DURATION" help:"With --etcd: end a lease that its tenant has not used for so long (up to a quarter longer): no client connected, and no call."`
	LeaseMax  time.Duration `default:"8h" placeholder:"DURATION" help:"With --etcd: end each lease at the latest after so long."`
}

func (f leaseFlags) check() error {
	if f.LeaseIdle < 10*time.Second || f.LeaseMax < 10*time.Second {
		return errors.New("--lease-idle and --lease-max must be at least 10s")
	}
	return nil
}

// limits returns the limits that a gateway sets for all gateways. It returns nil if the gateway has neither a file nor
// limits other than the defaults, and leaves the limits to other gateways.
func (f leaseFlags) limits(file *TenantsFile, store *leases.Store) *leases.Limits {
	if store == nil || file == nil && f == (leaseFlags{leases.DefaultIdle, leases.DefaultAge}) {
		return nil
	}
	return &leases.Limits{Default: leases.Quota{Age: f.LeaseMax}, Idle: f.LeaseIdle}
}

// serveBeside serves over HTTP until the returned function is called, which waits for the end. It serves the tenants
// in the file, and follows the file's changes. If the file is nil, it serves the only tenant. l may be nil.
func serveBeside(ctx context.Context, g *gateway.Gateway, file *TenantsFile, l *process.HTTPListener,
	failed func(error)) (stop func()) {
	if file == nil {
		if l != nil {
			l.Options.Missing = map[string]string{gateway.BrowsersPath: "this gateway gives no browsers over HTTP: " +
				"it was started without --tenants; agents acquire browsers by the tool acquire_browser"}
		}
		return l.ServeBeside(ctx, g.Server(""), failed)
	}
	router := g.NewTokenRouter(mcpserver.HTTPOptions{MaxSessions: l.Options.MaxSessions})
	unfollow := process.Beside(ctx, func(ctx context.Context) { file.Follow(ctx, g.SetTenants) })
	unserve := l.ServeEachBeside(ctx, gateway.BrowsersPath, router.Whom, router.Close, failed)
	return func() {
		unfollow()
		unserve()
	}
}
