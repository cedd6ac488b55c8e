package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"webmcphub/cluster/certs"
	"webmcphub/cluster/operator"
	"webmcphub/cluster/wire"
)

// clusterCmd are the operators' commands.
type clusterCmd struct {
	Status statusCmd `cmd:"" help:"Show the nodes: their browsers, tabs, tools and running calls."`
	Drain  drainCmd  `cmd:"" help:"Have a node leave: it takes no new work, calls that run end, and then it leaves."`
	Cert   certCmd   `cmd:"" help:"Make certificates for trying: a CA, and one for each name, node/NAME or gateway/NAME."`
}

// reachFlags say which nodes are asked, and as whom.
type reachFlags struct {
	Node       map[string]string `required:"" placeholder:"NAME=ADDR" help:"A node, and the host and port at which it listens. Repeatable."`
	As         string            `placeholder:"NAME" help:"The gateway's name in --tls-cert, with certificates. Default: one made up."`
	LinkListen string            `name:"link" default:"127.0.0.1:0" placeholder:"ADDR" help:"Where nodes reach this command to answer it. Beyond loopback with --tls-ca, --tls-cert and --tls-key only."`
	Advertise  string            `placeholder:"ADDR" help:"The host and port by which they do, where that is another."`
	Timeout    time.Duration     `default:"5s" help:"How long a node may take to answer."`

	tlsFlags `embed:""`
}

// each asks the nodes one after the other, in the order of their names. What goes wrong with one, or
// takes it too long, costs the others nothing.
func (f reachFlags) each(ask func(ctx context.Context, op *operator.Operator, name, address string) error) error {
	files, err := f.files()
	if err != nil {
		return err
	}
	as := f.As
	if as == "" {
		as = "operator-" + strings.ToLower(rand.Text()[:10])
	}
	op, err := operator.Open(as, f.LinkListen, f.Advertise, files)
	if err != nil {
		return err
	}
	defer op.Close()
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(f.Node)) {
		ctx, cancel := context.WithTimeout(context.Background(), f.Timeout)
		failures = append(failures, ask(ctx, op, name, f.Node[name]))
		cancel()
	}
	return errors.Join(failures...)
}

type statusCmd struct {
	reachFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints how the nodes are; nodes that don't answer make it fail.
func (c *statusCmd) Run() error {
	all := map[string]wire.NodeStatus{}
	silent := c.each(func(ctx context.Context, op *operator.Operator, name, address string) error {
		s, err := op.Status(ctx, name, address)
		if err == nil {
			all[name] = s
		}
		return err
	})
	if c.JSON {
		return errors.Join(silent, json.NewEncoder(os.Stdout).Encode(all))
	}
	return errors.Join(silent, printStatus(os.Stdout, all))
}

func printStatus(out io.Writer, all map[string]wire.NodeStatus) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tBUILD\tBROWSERS\tTABS\tTOOLS\tCALLS\tSTATE")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		connected := 0
		for _, b := range s.Browsers {
			if b.Status == "" {
				connected++
			}
		}
		state := "here"
		if s.Leaving != "" {
			state = "leaving: " + s.Leaving
		}
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%d\t%d\t%s\n", name, s.Build, connected, len(s.Browsers), s.Pages, s.Tools, s.Calls, state)
	}
	return w.Flush()
}

type drainCmd struct{ reachFlags }

// Run has each of the nodes leave.
func (c *drainCmd) Run() error {
	return c.each(func(ctx context.Context, op *operator.Operator, name, address string) error {
		err := op.Drain(ctx, name, address)
		if err == nil {
			fmt.Println("the node", name, "is leaving")
		}
		return err
	})
}

type certCmd struct {
	Out   string   `name:"dir" default:"certs" type:"path" placeholder:"DIR" help:"The folder that they are written to. A CA that is there already signs the new ones, too."`
	Names []string `arg:"" placeholder:"ROLE/NAME" help:"Whom they are for, such as node/one gateway/front."`
}

// Run makes them, and prints where they are.
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
