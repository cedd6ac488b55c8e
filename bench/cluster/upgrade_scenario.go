package cluster

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// upgrade: all processes are replaced one by one, first gateways, then nodes, under load.
func upgrade(ctx context.Context, r *run) error {
	return r.underLoad(ctx, lossBound, func(l *loadedCluster) error {
		for i, g := range l.GatewayList {
			r.Say("gateway %d of %d", i+1, len(l.GatewayList))
			out := l.lost.gateway(i)
			if err := g.Terminate(startPatience); err != nil {
				r.Fail("%v", err)
			}
			l.views[i].Forget()
			if err := l.StartGateway(ctx, g); err != nil {
				return err
			}
			_, err := l.AwaitRight(ctx, l.views, l.all, backBound)
			r.Check(fmt.Sprintf("after gateway %d is replaced", i), err)
			l.lost.over(out)
		}
		for i, n := range l.NodeList {
			r.Say("node %d of %d", i+1, len(l.NodeList))
			if err := n.Signal(syscall.SIGTERM); err != nil {
				return err
			}
			select {
			case <-n.Gone():
			case <-time.After(startPatience):
				return fmt.Errorf("%s doesn't leave\n%s", n.Name, n.Tail())
			}
			if err := l.StartNode(n); err != nil {
				return err
			}
			_, err := l.AwaitRight(ctx, l.views, l.all, backBound)
			r.Check("after "+n.Name+" is replaced", err)
		}
		r.Figure("upgraded", "%d gateways, then %d nodes", len(l.GatewayList), len(l.NodeList))
		return nil
	})
}
