package cluster

import (
	"context"
	"syscall"
	"time"
)

// drain: half of the nodes leave under load, while calls run on their pages.
func drain(ctx context.Context, r *run) error {
	c, views, err := r.loaded(ctx)
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	all := Browsers(c.NodeList...)
	load := StartLoad(ctx, views, 2, all)
	if err := sleep(ctx, time.Second); err != nil {
		return err
	}
	leaving := c.NodeList[:len(c.NodeList)/2]
	held, err := hold(ctx, c, views, leaving[0])
	if err != nil {
		return err
	}
	begun := time.Now()
	for _, n := range leaving {
		if err := n.Signal(syscall.SIGTERM); err != nil {
			return err
		}
	}
	right, err := c.AwaitRight(ctx, views, c.others(leaving...), 15*time.Second)
	r.Check("the list without those that leave", err)
	r.Figure("their tools are gone from the lists", "%s after the signal", short(right.Sub(begun)))
	select {
	case <-leaving[0].Gone():
		r.Fail("%s left while calls ran on its pages", leaving[0].Name)
	default:
	}
	c.Fleet.Release()
	for range views {
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
	r.judge(c, load, &outages{}, lossBound)
	for _, n := range leaving {
		if err := c.StartNode(n); err != nil {
			return err
		}
	}
	_, err = c.AwaitRight(ctx, views, all, backBound)
	r.Check("after they started again", err)
	r.Check("processes", c.StillRunning())
	return nil
}
