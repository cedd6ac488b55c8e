package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"webmcphub/cluster/api"
	"webmcphub/cluster/certs"
	"webmcphub/cluster/transport"
)

// clusterCmd has the commands for operators.
type clusterCmd struct {
	Status statusCmd `cmd:"" help:"Show the nodes: their browsers, tabs, tools and running calls; with --etcd gateways, leases and who waits, too."`
	Drain  drainCmd  `cmd:"" help:"Have a node leave: it takes no new work, calls that run end, and then it leaves."`
	Cert   certCmd   `cmd:"" help:"Make certificates for trying: a CA, and one for each name, node/NAME, gateway/NAME or operator/NAME."`
}

// reachFlags say which nodes to ask, and under which name.
type reachFlags struct {
	Node       map[string]string `placeholder:"NAME=ADDR" help:"A node, and the host and port at which it listens. Repeatable."`
	As         string            `placeholder:"NAME" help:"The operator's name. Default: with certificates the one in --tls-cert, else one made up."`
	LinkListen string            `name:"link" hidden:"" help:"Does nothing any more: nodes dial no gateway."`
	Advertise  string            `hidden:"" help:"Does nothing any more: nodes dial no gateway."`
	Timeout    time.Duration     `default:"5s" help:"How long a node may take to answer."`

	tlsFlags `embed:""`
}

// as returns the name under which nodes and etcd know this command.
func (f reachFlags) as() string { return f.tlsFlags.name(f.As, "operator") }

// each calls ask for the nodes one after the other, in the order of their names. A node that fails or takes too long
// doesn't affect the others.
func (f reachFlags) each(ask func(ctx context.Context, op *transport.Dialer, name, address string) error) error {
	files, err := f.files()
	if err != nil {
		return err
	}
	op, err := transport.NewDialer(transport.Caller{Role: transport.Operator, Name: f.as()}, files, nil)
	if err != nil {
		return err
	}
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(f.Node)) {
		ctx, cancel := context.WithTimeout(context.Background(), f.Timeout)
		failures = append(failures, ask(ctx, op, name, f.Node[name]))
		cancel()
	}
	return errors.Join(failures...)
}

type drainCmd struct{ reachFlags }

// Run makes each of the nodes leave.
func (c *drainCmd) Run() error {
	if len(c.Node) == 0 {
		return usageError{errors.New("say which nodes should leave: --node NAME=HOST:PORT")}
	}
	return c.each(func(ctx context.Context, op *transport.Dialer, name, address string) error {
		err := op.Admin(ctx, name, address, func(node api.AdminClient) error {
			_, err := node.Drain(ctx, &api.DrainRequest{})
			return err
		})
		if err == nil {
			fmt.Println("the node", name, "is leaving")
		}
		return err
	})
}

type certCmd struct {
	Out   string   `name:"dir" default:"certs" type:"path" placeholder:"DIR" help:"The folder that they are written to. A CA that is there already signs the new ones, too."`
	Names []string `arg:"" placeholder:"ROLE/NAME" help:"Whom they are for, such as node/one gateway/front operator/ann."`
}

// Run makes the certificates, and prints where they are.
func (c *certCmd) Run() error {
	all, err := certs.Make(c.Out, c.Names...)
	if err != nil {
		return err
	}
	for i, f := range all {
		fmt.Printf("%s: --tls-ca %s --tls-cert %s --tls-key %s\n", c.Names[i], f.CA, f.Cert, f.Key)
	}
	return nil
}
