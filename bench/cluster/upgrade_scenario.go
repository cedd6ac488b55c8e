package cluster

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// upgrade: all processes are replaced one by one, first gateways, then nodes, under load.
func upgrade(ctx context.Context, r *run) error {
	c, views, err := r.loaded(ctx)
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	all := Browsers(c.NodeList...)
	var lost outages
	load := StartLoad(ctx, views, 2, all)
	for i, g := range c.GatewayList {
		r.Say("gateway %d of %d", i+1, len(c.GatewayList))
		out := lost.gateway(i)
		if err := g.Terminate(startPatience); err != nil {
			r.Fail("%v", err)
		}
		views[i].Forget()
		if err := c.StartGateway(ctx, g); err != nil {
			return err
		}
		_, err := c.AwaitRight(ctx, views, all, backBound)
		r.Check(fmt.Sprintf("after gateway %d is replaced", i), err)
		lost.over(out)
	}
	for i, n := range c.NodeList {
		r.Say("node %d of %d", i+1, len(c.NodeList))
		if err := n.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		select {
		case <-n.Gone():
		case <-time.After(startPatience):
			return fmt.Errorf("%s doesn't leave\n%s", n.Name, n.Tail())
		}
		if err := c.StartNode(n); err != nil {
			return err
		}
		_, err := c.AwaitRight(ctx, views, all, backBound)
		r.Check("after "+n.Name+" is replaced", err)
	}
	r.Figure("upgraded", "%d gateways, then %d nodes", len(c.GatewayList), len(c.NodeList))
	r.judge(c, load, &lost, lossBound)
	r.Check("processes", c.StillRunning())
	return nil
}
