package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
	"webmcphub/internal/proctest"
)

// Size is how large a cluster is.
type Size struct {
	Nodes    int
	PerNode  int // fake Chromes that each node attaches to
	Tools    int // of each fake Chrome's page
	Gateways int
	Members  int // of etcd
	Own      int // browsers that each node starts itself, and lends
}

// Options say what a cluster is made of.
type Options struct {
	Size
	Binary  string // webmcp-hub-cluster
	Tenants []string
	Attach  string // the debugging port of a Chrome that the first node attaches to, too; "" for none
	// Between, if not nil, gives the address by which a process is reached that listens at another:
	// first the nodes', then the gateways'.
	Between func(listens string) (advertised string, err error)
}

// Cluster is a running one.
type Cluster struct {
	Options
	Fleet        *fleet.Fleet
	Etcd         *proctest.Etcd
	NodeList     []*Node
	GatewayList  []*Gateway
	report       *Report
	folder       string
	tenants      string // the file that names them, "" for none
	chromeBinary string
}

// Node is a node's process and what it has.
type Node struct {
	*proctest.Process
	Name     string
	Binary   string
	Browsers []int // of the fleet

	listens, advertised string
	file                string // of its browsers
}

// Gateway is a gateway's process.
type Gateway struct {
	*proctest.Process
	Name    string
	Binary  string
	Address string // host:port of MCP and of what it tells of itself
}

// startPatience is how long a process may take to start.
const startPatience = 60 * time.Second

// Start starts a cluster, and waits until each gateway lists every tool of the fleet.
func Start(ctx context.Context, o Options, r *Report) (_ *Cluster, err error) {
	c := &Cluster{Options: o, report: r}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	if c.folder, err = os.MkdirTemp("", "webmcp-cluster-"); err != nil {
		return nil, err
	}
	if c.chromeBinary, err = os.Executable(); err != nil {
		return nil, err
	}
	if err := c.writeTenants(); err != nil {
		return nil, err
	}
	if c.Fleet, err = fleet.Open(o.Nodes*o.PerNode, o.Tools); err != nil {
		return nil, err
	}
	begun := time.Now()
	r.Say("starting etcd (%d), %d nodes with %d fake Chromes each, %d gateways; what they say is in %s", o.Members,
		o.Nodes, o.PerNode, o.Gateways, c.folder)
	if c.Etcd, err = proctest.StartEtcd(ctx, c.folder, max(1, o.Members), nil); err != nil {
		return nil, err
	}
	for i := range o.Nodes {
		if err := c.addNode(i); err != nil {
			return nil, err
		}
	}
	for i := range o.Gateways {
		if err := c.addGateway(ctx, i); err != nil {
			return nil, err
		}
	}
	if err := c.awaitAttached(ctx); err != nil {
		return nil, err
	}
	r.Say("all nodes have their browsers after %s", short(time.Since(begun)))
	return c, nil
}

func (c *Cluster) addNode(i int) error {
	ports, err := proctest.FreePorts(1)
	if err != nil {
		return err
	}
	n := &Node{Name: fmt.Sprintf("n%d", i), Binary: c.Binary, listens: ports[0], advertised: ports[0]}
	for b := range c.PerNode {
		n.Browsers = append(n.Browsers, i*c.PerNode+b)
	}
	if c.Between != nil {
		if n.advertised, err = c.Between(n.listens); err != nil {
			return err
		}
	}
	if err := c.browsersFile(n); err != nil {
		return err
	}
	c.NodeList = append(c.NodeList, n)
	return c.StartNode(n)
}

// StartNode starts a node, or starts one again that has ended.
func (c *Cluster) StartNode(n *Node) error {
	p, err := proctest.Start(n.Name, c.folder, cmp.Or(n.Binary, c.Binary), c.nodeArgs(n),
		[]string{"GOMAXPROCS=2"})
	if err == nil { // else the one that has ended stays
		n.Process = p
	}
	return err
}

func (c *Cluster) addGateway(ctx context.Context, i int) error {
	ports, err := proctest.FreePorts(1)
	if err != nil {
		return err
	}
	g := &Gateway{Name: fmt.Sprintf("g%d", i), Binary: c.Binary, Address: ports[0]}
	c.GatewayList = append(c.GatewayList, g)
	return c.StartGateway(ctx, g)
}

// StartGateway starts a gateway, or starts one again that has ended, and waits until it answers.
func (c *Cluster) StartGateway(ctx context.Context, g *Gateway) (err error) {
	if g.Process, err = proctest.Start(g.Name, c.folder, cmp.Or(g.Binary, c.Binary), c.gatewayArgs(g), nil); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	a := agent.New("http://"+g.Address, c.token(0), agent.Modern)
	defer a.Close()
	return proctest.Await(ctx, g.Process, func() error {
		_, err := a.List(ctx)
		return err
	})
}

// awaitAttached waits until each node has its browsers.
func (c *Cluster) awaitAttached(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience+time.Duration(c.Nodes)*5*time.Second)
	defer cancel()
	for _, n := range c.NodeList {
		if err := proctest.Await(ctx, n.Process, func() error {
			for _, b := range n.Browsers {
				if c.Fleet.Attached(b) == 0 {
					return fmt.Errorf("browser %d of %s is not attached to", b, n.Name)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Browsers are those of the fleet that some nodes have.
func Browsers(nodes ...*Node) (all []int) {
	for _, n := range nodes {
		all = append(all, n.Browsers...)
	}
	return all
}

// NodeOf is the node that has a browser of the fleet.
func (c *Cluster) NodeOf(browser int) *Node { return c.NodeList[browser/c.PerNode] }

// Processes are all that run: etcd's, nodes', gateways'.
func (c *Cluster) Processes() (etcd, nodes, gateways []*proctest.Process) {
	for _, n := range c.NodeList {
		nodes = append(nodes, n.Process)
	}
	for _, g := range c.GatewayList {
		gateways = append(gateways, g.Process)
	}
	return c.Etcd.Members, nodes, gateways
}

// Views begins to follow the list of each gateway.
func (c *Cluster) Views(ctx context.Context, manner agent.Manner) (all []*View) {
	for i, g := range c.GatewayList {
		all = append(all, NewView(ctx, i, agent.New("http://"+g.Address, c.token(0), manner)))
	}
	return all
}

// AwaitRight waits until all views list the truth of some browsers, and nothing else, and gives
// when the last one did.
func (c *Cluster) AwaitRight(ctx context.Context, views []*View, browsers []int,
	within time.Duration) (latest time.Time, err error) {
	truth := c.Fleet.Truth(browsers...)
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for _, v := range views {
		came, e := v.Await(ctx, func(l *agent.List) error { return l.Against(truth) })
		err = errors.Join(err, e)
		if came.After(latest) {
			latest = came
		}
	}
	return latest, err
}

// StillRunning says which processes have ended that should run.
func (c *Cluster) StillRunning() error {
	var all error
	etcd, nodes, gateways := c.Processes()
	for _, group := range [][]*proctest.Process{etcd, nodes, gateways} {
		for _, p := range group {
			if p != nil {
				all = errors.Join(all, p.Running())
			}
		}
	}
	return all
}

// Close ends everything that runs.
func (c *Cluster) Close() {
	for _, g := range c.GatewayList {
		if g.Process != nil {
			_ = g.Kill() // it is over
		}
	}
	for _, n := range c.NodeList {
		if n.Process != nil {
			_ = n.Thaw()
			_ = n.Kill()
		}
	}
	if c.Etcd != nil {
		c.Etcd.Stop()
	}
	if c.Fleet != nil {
		c.Fleet.Close()
	}
	switch {
	case c.folder == "":
	case c.report.Failed():
		c.report.Say("what its processes said is kept in %s", c.folder)
	default:
		_ = os.RemoveAll(c.folder)
	}
}
