package cluster

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// Scenario is one row of what a cluster must do.
type Scenario struct {
	Name  string
	Shows string // in a sentence
	run   func(context.Context, *run) error
	// size is how large its cluster is, unless flags say otherwise.
	size Size
	// rounds and seconds are how often, and for how long, it does what it does.
	rounds, seconds int
	limit           time.Duration // of the whole
}

// Scale changes how large scenarios are, by flags of bench/cmd/cluster; zeros leave them as they are.
type Scale struct {
	Nodes    int `help:"How many nodes."`
	PerNode  int `name:"browsers" help:"How many fake Chromes each node attaches to."`
	Tools    int `help:"How many tools each page has."`
	Gateways int `help:"How many gateways."`
	Rounds   int `help:"How often it does what it does."`
	Seconds  int `help:"For how long it does what it does."`
	// Slack is how many times as long as promised things may take, for machines that do much else.
	Slack int `kong:"-"`
}

// run is a scenario under way.
type run struct {
	*Report
	Size
	rounds, seconds int
	slack           time.Duration // by which the bound of a loss is multiplied
	binary, folder  string
}

// Scenarios are all, in the order in which they are run.
func Scenarios() []Scenario {
	small := Size{Nodes: 6, PerNode: 10, Tools: 20, Gateways: 3, Members: 1, Own: 2}
	return []Scenario{
		{"whole", "1,000 browsers and 20,000 tools are one list, right on all gateways", whole,
			Size{Nodes: 20, PerNode: 50, Tools: 20, Gateways: 3, Members: 1}, 1, 10, 8 * time.Minute},
		{"storm", "storms on all pages lose nothing, and what travels follows flushes, not changes", storms,
			Size{Nodes: 20, PerNode: 5, Tools: 10, Gateways: 3, Members: 1}, 1, 5, 6 * time.Minute},
		{"kill-node", "a node that is killed takes its own calls and tools with it, at once, and nothing else",
			killNodes, small, 50, 0, 12 * time.Minute},
		{"drain", "half of the nodes drain under load, and no call fails", drain, small, 1, 10, 5 * time.Minute},
		{"kill-gateway", "a gateway that is killed is noticed by its own clients only, which go on at another",
			killGateway, small, 10, 0, 5 * time.Minute},
		{"etcd", "etcd is frozen, killed and restarted: calls go on, nothing is lost, no node is shut out", etcdGoes,
			small, 1, 30, 8 * time.Minute},
		{"etcd-one-of-three", "one of three members of etcd is frozen, killed and restarted, and nobody notices",
			etcdMemberGoes, Size{Nodes: 6, PerNode: 10, Tools: 20, Gateways: 3, Members: 3, Own: 2}, 1, 30,
			8 * time.Minute},
		{"etcd-all-of-three", "all of three members of etcd are: calls go on, nothing is lost, no node is shut out",
			etcdGoes, Size{Nodes: 6, PerNode: 10, Tools: 20, Gateways: 3, Members: 3, Own: 2}, 1, 30, 8 * time.Minute},
		{"call", "a call of a real Chromium's page by way of a node takes hardly longer than by the hub", calls,
			Size{Nodes: 1, Tools: 3, Gateways: 1, Members: 1}, 20, 0, 4 * time.Minute},
		{"overload", "ten times as many want browsers as there are: queues are bounded, and tenants wait alike",
			overload, Size{Nodes: 2, PerNode: 1, Tools: 3, Gateways: 3, Members: 1, Own: 3}, 1, 60, 5 * time.Minute},
		{"network", "the way between nodes and gateways is cut, slow, or one-way", network,
			Size{Nodes: 3, PerNode: 10, Tools: 20, Gateways: 2, Members: 1}, 1, 10, 8 * time.Minute},
		{"upgrade", "gateways and nodes are replaced one by one, and no call fails",
			upgrade, small, 1, 0, 8 * time.Minute},
	}
}

// Named finds a scenario.
func Named(name string) (Scenario, error) {
	var names []string
	for _, s := range Scenarios() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Scenario{}, fmt.Errorf("there is no scenario %q; there are %s", name, strings.Join(names, ", "))
}

// Run runs the scenario with a binary of webmcp-hub-cluster. What the cluster does wrong is in the
// report; the error is that it couldn't be run.
func (s Scenario) Run(ctx context.Context, binary, folder string, scale Scale, r *Report) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("%s took longer than %s", s.Name, s.limit))
	defer cancel()
	one := &run{Report: r, Size: s.size, rounds: s.rounds, seconds: s.seconds,
		slack: time.Duration(max(1, scale.Slack)), binary: binary, folder: folder}
	one.Nodes, one.PerNode = cmp.Or(scale.Nodes, one.Nodes), cmp.Or(scale.PerNode, one.PerNode)
	one.Tools, one.Gateways = cmp.Or(scale.Tools, one.Tools), cmp.Or(scale.Gateways, one.Gateways)
	one.rounds, one.seconds = cmp.Or(scale.Rounds, one.rounds), cmp.Or(scale.Seconds, one.seconds)
	return s.run(ctx, one)
}

// start starts the scenario's cluster.
func (r *run) start(ctx context.Context, change ...func(*Options)) (*Cluster, error) {
	o := Options{Size: r.Size, Binary: r.binary}
	for _, f := range change {
		f(&o)
	}
	return Start(ctx, o, r.Report)
}
