package cluster

import (
	"context"
	"syscall"
	"time"
)

// drain: half of the nodes leave under load, while calls run on their pages.
func drain(ctx context.Context, r *run) error {
	return r.underLoad(ctx, lossBound, func(l *loadedCluster) error {
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
		leaving := l.NodeList[:len(l.NodeList)/2]
		held, err := hold(ctx, l.Cluster, l.views, leaving[0])
		if err != nil {
			return err
		}
		begun := time.Now()
		for _, n := range leaving {
			if err := n.Signal(syscall.SIGTERM); err != nil {
				return err
			}
		}
		right, err := l.AwaitRight(ctx, l.views, l.others(leaving...), 15*time.Second)
		r.Check("the list without those that leave", err)
		r.Figure("their tools are gone from the lists", "%s after the signal", short(right.Sub(begun)))
		select {
		case <-leaving[0].Gone():
			r.Fail("%s left while calls ran on its pages", leaving[0].Name)
		default:
		}
		l.Fleet.Release()
		for range l.views {
			if call := <-held; call.Err != nil {
				r.Fail("it ran when its node began to leave: %v", call)
			}
		}
		for _, n := range leaving {
			select {
			case <-n.Gone():
			case <-time.After(30 * time.Second):
				r.Fail("%s has not left 30 s after its last call\n%s", n.Name, n.Tail())
			}
		}
		r.Figure("all have left", "%s after the signal", short(time.Since(begun)))
		if err := sleep(ctx, time.Duration(r.seconds)*time.Second/4); err != nil {
			return err
		}
		for _, n := range leaving {
			if err := l.StartNode(n); err != nil {
				return err
			}
		}
		_, err = l.AwaitRight(ctx, l.views, l.all, backBound)
		r.Check("after they started again", err)
		return nil
	})
}
