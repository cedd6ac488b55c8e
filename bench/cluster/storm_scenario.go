package cluster

import (
	"context"
	"fmt"
	"time"

	"webmcphub/internal/proctest"
)

const (
	// The changes a second of each page, in the two storms: at the lower rate almost each flush of a
	// node finds most of its pages changed, so that the higher one can add changes but no flushes.
	lowStorm, highStorm = 100, 400
	// listBound is how long after the last change the list must be right.
	listBound = 100 * time.Millisecond
)

// storms: pages of all nodes change without pause.
func storms(ctx context.Context, r *run) error {
	c, views, err := r.loaded(ctx)
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	all := Browsers(c.NodeList...)
	var sent [2]proctest.Usage
	var changes [2]int
	for i, rate := range []float64{lowStorm, highStorm} {
		if sent[i], changes[i], err = r.blow(ctx, c, views, rate*float64(len(all))); err != nil {
			return err
		}
	}
	if changes[0] == 0 || sent[0].Written == 0 {
		r.Fail("nothing was blown: %v changes, %v bytes", changes, sent)
		return nil
	}
	more, bytes := float64(changes[1])/float64(changes[0]), float64(sent[1].Written)/float64(sent[0].Written)
	r.Figure("bytes from nodes", "%.2f × as many for %.2f × as many changes", bytes, more)
	if bytes > 1+(more-1)/2 {
		r.Fail("bytes grow with changes: %.2f × as many for %.2f × as many changes", bytes, more)
	}
	r.Check("processes", c.StillRunning())
	return nil
}

// blow makes one storm, and gives what the nodes used for it.
func (r *run) blow(ctx context.Context, c *Cluster, views []*View,
	rate float64) (used proctest.Usage, changes int, err error) {
	_, nodes, gateways := c.Processes()
	before, err := proctest.Total(nodes)
	if err != nil {
		return used, 0, err
	}
	gateway, err := proctest.Total(gateways)
	if err != nil {
		return used, 0, err
	}
	all := Browsers(c.NodeList...)
	duration := time.Duration(r.seconds) * time.Second
	r.Say("a storm of %.0f changes a second over %d pages for %s", rate, len(all), duration)
	storm, over := context.WithTimeout(ctx, duration)
	changes, ended := c.Fleet.Storm(storm, all, rate)
	over()
	right, err := c.AwaitRight(ctx, views, all, 30*time.Second)
	after, e := proctest.Total(nodes)
	if e != nil {
		return used, 0, e
	}
	gatewayAfter, e := proctest.Total(gateways)
	if e != nil {
		return used, 0, e
	}
	used = after.Minus(before)
	name := fmt.Sprintf("%.0f changes/s: ", float64(changes)/duration.Seconds())
	r.Check(name+"lost", err)
	if late := right.Sub(ended); err == nil {
		first := views[0].now()
		r.Figure(name+"the last list_changed came", "%s after the last change at the latest",
			short(max(0, lastChange(views).Sub(ended))))
		r.Figure(name+"the last list is right", "%s after the last change (bound %s); the last of %d lists took %s",
			short(max(0, late)), listBound, first.lists, short(first.took))
		if late > listBound {
			r.Fail("the list was right %s after the last change, and %s is the bound", short(late), listBound)
		}
	}
	r.Figure(name+"nodes wrote", "%.1f MiB/s to %d gateways: %.0f bytes a change and gateway",
		mib(used.Written)/duration.Seconds(), len(gateways),
		float64(used.Written)/float64(max(1, changes*len(gateways))))
	r.Figure(name+"processor", "nodes %.2f, gateways %.2f cores", used.CPU.Seconds()/duration.Seconds(),
		gatewayAfter.Minus(gateway).CPU.Seconds()/duration.Seconds())
	return used, changes, nil
}

// lastChange is when the last client was told that the list is another one.
func lastChange(views []*View) (last time.Time) {
	for _, v := range views {
		if changed := v.now().changedAt; changed.After(last) {
			last = changed
		}
	}
	return last
}
