package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/transport"
	"webmcphub/registry/sanitize"
)

type statusCmd struct {
	reachFlags
	storeFlags `embed:""`
	JSON       bool `name:"json" help:"Print JSON."`
}

// Run prints the state of the cluster. It fails if a node doesn't answer.
func (c *statusCmd) Run() error { return c.print(os.Stdout) }

func (c *statusCmd) print(out io.Writer) error {
	report, silent := c.report()
	if report == nil {
		return silent
	}
	if c.JSON {
		return errors.Join(silent, json.NewEncoder(out).Encode(report))
	}
	return errors.Join(silent, report.print(out))
}

// report is the state of the cluster; without etcd, the state of the named nodes.
type report struct {
	Nodes    map[string]*nodeReport `json:"nodes"`              // by name
	Gateways map[string]string      `json:"gateways,omitempty"` // by name; the values are empty
	Tenants  map[string]tenantShare `json:"tenants,omitempty"`  // those that have or await browsers; "" is all clients
	Leases   []leaseReport          `json:"leases,omitempty"`   // by handle
	stored   bool                   // the report has what etcd knows
}

// nodeReport is the state of a node. If Error is set, only its address is known.
type nodeReport struct {
	Address  string          `json:"address"`
	Error    string          `json:"error,omitempty"`
	Build    string          `json:"build,omitempty"`
	Browsers []browserReport `json:"browsers,omitempty"`
	Tabs     int             `json:"tabs"`
	Tools    int             `json:"tools"`
	Calls    int             `json:"calls"` // running calls
	Leaving  string          `json:"leaving,omitempty"`
}

type browserReport struct {
	Name   string   `json:"name"`
	Labels []string `json:"labels,omitempty"`
	Status string   `json:"status,omitempty"` // why it isn't connected; "" if it is
}

// tenantShare says how many browsers a tenant has, and for how many more it waits.
type tenantShare struct {
	Leases  int `json:"leases"`
	Waiting int `json:"waiting"`
}

type leaseReport struct {
	Handle string    `json:"handle"`
	Tenant string    `json:"tenant"`
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"`
}

// report asks etcd, if it is used, and then the nodes. It returns a report unless it could ask nobody. The error says
// which questions failed.
func (c *statusCmd) report() (*report, error) {
	r := &report{Nodes: map[string]*nodeReport{}}
	switch {
	case len(c.Node) == 0 && len(c.Etcd) == 0:
		return nil, usageError{errors.New("say which cluster: --etcd URL, or --node NAME=HOST:PORT for each node")}
	case len(c.Node) > 0 && len(c.Etcd) > 0:
		return nil, usageError{errors.New("--node and --etcd exclude each other: etcd lists the nodes")}
	case len(c.Etcd) > 0:
		p, err := c.snapshot()
		if err != nil {
			return nil, err
		}
		c.Node = r.take(p)
	}
	for name, address := range c.Node {
		r.Nodes[name] = &nodeReport{Address: address, Error: "it was not asked"}
	}
	return r, c.each(func(ctx context.Context, op *transport.Dialer, name, address string) error {
		err := op.Admin(ctx, name, address, func(node api.AdminClient) error {
			s, err := node.Status(ctx, &api.StatusRequest{})
			if err == nil {
				r.Nodes[name] = nodeReported(address, s)
			}
			return err
		})
		if err != nil {
			r.Nodes[name].Error = err.Error()
		}
		return err
	})
}

func nodeReported(address string, s *api.NodeStatus) *nodeReport {
	n := &nodeReport{Address: address, Build: s.Build, Tabs: int(s.Pages), Tools: int(s.Tools), Calls: int(s.Calls),
		Leaving: s.Leaving}
	for _, b := range s.Browsers {
		n.Browsers = append(n.Browsers, browserReport{b.Name, b.Labels, b.Status})
	}
	return n
}

// snapshot returns the state of the cluster that etcd has.
func (c *statusCmd) snapshot() (leases.Snapshot, error) {
	log := slog.New(slog.DiscardHandler) // the snapshot says what is wrong
	store, err := c.storeFlags.open(c.as(), false, c.tlsFlags, nil, log)
	if err != nil {
		return leases.Snapshot{}, err
	}
	defer store.Close()
	ctx, cancel := context.WithTimeout(context.Background(), c.Timeout)
	defer cancel()
	var last leases.Snapshot
	store.Watch(ctx, func(p leases.Snapshot) {
		if last = p; p.Stale == "" {
			cancel()
		}
	})
	if last.Stale != "" {
		return last, fmt.Errorf("etcd (%v) didn't list in %v the members of the cluster %s: %s", c.Etcd, c.Timeout,
			c.EtcdCluster, last.Stale)
	}
	return last, nil
}

// take adds a snapshot to the report, and returns the nodes' addresses by name.
func (r *report) take(p leases.Snapshot) (nodes map[string]string) {
	nodes, r.Gateways, r.Tenants, r.stored = map[string]string{}, map[string]string{}, map[string]tenantShare{}, true
	for _, m := range p.Members {
		if m.Role == leases.Node {
			nodes[m.Name] = m.Address
		} else {
			r.Gateways[m.Name] = m.Address
		}
	}
	for tenant, n := range p.WaitingCount {
		r.Tenants[tenant] = tenantShare{Waiting: n}
	}
	for _, l := range p.Leases {
		share := r.Tenants[l.Tenant]
		share.Leases++
		r.Tenants[l.Tenant] = share
		r.Leases = append(r.Leases, leaseReport{l.Handle, l.Tenant, l.Since.UTC(), l.Until.UTC()})
	}
	return nodes
}

func (r *report) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tBUILD\tBROWSERS\tTABS\tTOOLS\tCALLS\tSTATE")
	for _, name := range slices.Sorted(maps.Keys(r.Nodes)) {
		n := r.Nodes[name]
		if n.Error != "" {
			fmt.Fprintf(w, "%s\t\t\t\t\t\tdoesn't answer at %s\n", plain(name), plain(n.Address))
			continue
		}
		connected := 0
		for _, b := range n.Browsers {
			if b.Status == "" {
				connected++
			}
		}
		state := "here"
		if n.Leaving != "" {
			state = "leaving: " + plain(n.Leaving)
		}
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%d\t%d\t%s\n", plain(name), plain(n.Build), connected, len(n.Browsers),
			n.Tabs, n.Tools, n.Calls, state)
	}
	if r.stored {
		r.printStored(w)
	}
	return w.Flush()
}

// plain returns a text from a node or from etcd as one line without control characters, for a table.
func plain(text string) string {
	return sanitize.Text(strings.Join(strings.Fields(text), " "), 200)
}

// printStored prints what only etcd knows.
func (r *report) printStored(w *tabwriter.Writer) {
	everybody := func(tenant string) string { return cmp.Or(plain(tenant), "(all clients)") }
	const stamp = "2006-01-02 15:04 MST"
	_ = w.Flush() // each table has columns of its own
	fmt.Fprintln(w, "\nGATEWAY")
	for _, name := range slices.Sorted(maps.Keys(r.Gateways)) {
		fmt.Fprintln(w, plain(name))
	}
	_ = w.Flush()
	fmt.Fprintln(w, "\nTENANT\tLEASES\tWAITING")
	for _, tenant := range slices.Sorted(maps.Keys(r.Tenants)) {
		fmt.Fprintf(w, "%s\t%d\t%d\n", everybody(tenant), r.Tenants[tenant].Leases, r.Tenants[tenant].Waiting)
	}
	_ = w.Flush()
	fmt.Fprintln(w, "\nLEASE\tTENANT\tSINCE\tUNTIL")
	for _, l := range r.Leases {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", plain(l.Handle), everybody(l.Tenant), l.Since.Format(stamp),
			l.Until.Format(stamp))
	}
}
