package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"webmcphub/bench/cluster/agent"
	"webmcphub/bench/cluster/fleet"
)

const (
	// lossBound is how long it may take until the calls of a lost node are answered, and until its
	// tools are gone.
	lossBound = time.Second
	// elsewhereBound is how long it may take until a lost gateway's clients are served elsewhere.
	elsewhereBound = 2 * time.Second
	// backBound is how long it may take until a node that starts again is listed.
	backBound = 30 * time.Second
)

// killNodes: nodes are killed at random under load.
func killNodes(ctx context.Context, r *run) error {
	return r.underLoad(ctx, r.slack*lossBound, func(l *loadedCluster) error {
		churn := r.startChurn(ctx, l.Cluster, 1)
		var gone, answered, back []time.Duration
		random := rand.New(rand.NewPCG(1, uint64(r.rounds)))
		for round := range r.rounds {
			n := l.NodeList[random.IntN(len(l.NodeList))]
			if round%10 == 0 {
				r.Say("kill %d of %d", round+1, r.rounds)
			}
			k, err := r.killOne(ctx, l, n, churn)
			if err != nil {
				return errors.Join(err, l.StillRunning())
			}
			churn.nodeBack(n.Name)
			gone, answered, back = append(gone, k.gone...), append(answered, k.answered...), append(back, k.back)
			if r.Failed() {
				break
			}
		}
		churn.stop(r, l.Cluster)
		r.AtMost("its tools are gone", r.slack*lossBound, gone)
		r.AtMost("calls that ran are answered with the reason", r.slack*lossBound, answered)
		r.AtMost("start until it is listed again", backBound, back)
		return nil
	})
}

// loadedCluster is a cluster whose pages are called all the time.
type loadedCluster struct {
	*Cluster
	views []*View
	all   []int   // the browsers of all nodes
	lost  outages // calls that meet one may fail
}

// underLoad has the pages of a cluster called all the time while do does something to it. Calls that met an outage must
// have been answered with the reason within the bound, and no other may have failed.
func (r *run) underLoad(ctx context.Context, bound time.Duration, do func(*loadedCluster) error,
	change ...func(*Options)) error {
	c, views, err := r.loaded(ctx, change...)
	if err != nil || views == nil {
		return err
	}
	defer c.Close()
	defer closeAll(views)
	l := &loadedCluster{Cluster: c, views: views, all: Browsers(c.NodeList...)}
	load := StartLoad(ctx, views, 2, l.all)
	if err := do(l); err != nil {
		return err
	}
	r.judge(c, load, &l.lost, bound)
	r.Check("processes", c.StillRunning())
	return nil
}

// loaded starts a cluster with views that are right; views is nil where they don't get right,
// which is reported.
func (r *run) loaded(ctx context.Context, change ...func(*Options)) (*Cluster, []*View, error) {
	c, err := r.start(ctx, change...)
	if err != nil {
		return nil, nil, err
	}
	views := c.Views(ctx, agent.Modern)
	if _, err := c.AwaitRight(ctx, views, Browsers(c.NodeList...), time.Minute); err != nil {
		r.Check("the list at the start", err)
		closeAll(views)
		c.Close()
		return nil, nil, nil
	}
	return c, views, nil
}

// killed is what was seen of one kill.
type killed struct {
	gone, answered []time.Duration
	back           time.Duration
}

func (r *run) killOne(ctx context.Context, l *loadedCluster, n *Node, churn *churn) (k killed, err error) {
	held, err := hold(ctx, l.Cluster, l.views, n)
	if err != nil {
		return k, err
	}
	churn.nodeLost(n.Name)
	out := l.lost.node(n)
	if err := n.Kill(); err != nil {
		return k, err
	}
	at := time.Now()
	for range l.views {
		call := <-held
		if !call.Answered() {
			r.Fail("of the killed %s: %v", n.Name, call)
		}
		k.answered = append(k.answered, call.Ended.Sub(at))
	}
	k.gone = r.awaitGone(ctx, l, at, 10*time.Second, "after "+n.Name+" was killed", n)
	l.Fleet.Release() // pages that the killed one called
	begun := time.Now()
	if err := l.StartNode(n); err != nil {
		return k, err
	}
	right, err := l.AwaitRight(ctx, l.views, l.all, backBound)
	r.Check("after "+n.Name+" started again", err)
	k.back = right.Sub(begun)
	l.lost.over(out)
	return k, l.Fleet.AwaitHolding(ctx, 0)
}

// awaitGone waits until each view lists what all nodes but some have, and gives how long after a time it did.
func (r *run) awaitGone(ctx context.Context, l *loadedCluster, at time.Time, within time.Duration, what string,
	nodes ...*Node) (gone []time.Duration) {
	truth := l.Fleet.Truth(l.others(nodes...)...)
	for _, v := range l.views {
		limited, cancel := context.WithTimeout(ctx, within)
		came, err := v.Await(limited, func(l *agent.List) error { return l.Against(truth) })
		cancel()
		r.Check(what, err)
		gone = append(gone, max(0, came.Sub(at)))
	}
	return gone
}

// others are the browsers of all nodes but some.
func (c *Cluster) others(not ...*Node) (all []int) {
	out := map[*Node]bool{}
	for _, n := range not {
		out[n] = true
	}
	for _, n := range c.NodeList {
		if !out[n] {
			all = append(all, n.Browsers...)
		}
	}
	return all
}

// hold begins a call by each view that a page of a node holds, and gives what comes of them.
func hold(ctx context.Context, c *Cluster, views []*View, n *Node) (<-chan Call, error) {
	ended := make(chan Call, len(views))
	for i, v := range views {
		browser := n.Browsers[i%len(n.Browsers)]
		name := v.Name(fleet.Hold(browser))
		go func() {
			call := Call{Gateway: v.Gateway, Browser: browser, Begun: time.Now()}
			limited, cancel := context.WithTimeout(ctx, callLimit)
			defer cancel()
			answer, err := v.Agent.Call(limited, name, map[string]any{})
			if call.Ended, call.Err = time.Now(), err; err == nil && answer != "held" {
				call.Err = fmt.Errorf("the page answered %q", answer)
			}
			ended <- call
		}()
	}
	within, cancel := context.WithTimeoutCause(ctx, callLimit,
		fmt.Errorf("calls of %s did not arrive in %s", n.Name, callLimit))
	defer cancel()
	return ended, c.Fleet.AwaitHolding(within, len(views))
}

// killGateway: gateways are killed one after the other under load.
func killGateway(ctx context.Context, r *run) error {
	return r.underLoad(ctx, elsewhereBound, func(l *loadedCluster) error {
		served := map[agent.Manner][]time.Duration{}
		for round := range r.rounds {
			i := round % len(l.GatewayList)
			out := l.lost.gateway(i)
			var each sync.WaitGroup
			var mu sync.Mutex
			wander := make(chan struct{})
			for _, manner := range []agent.Manner{agent.Modern, agent.Session} {
				w, err := l.wanderer(ctx, i, manner, round%len(l.all))
				if err != nil {
					return err
				}
				each.Go(func() {
					took, err := w.wander(ctx, wander)
					r.Check(fmt.Sprintf("a client (%s) of the killed gateway %d", manner, i), err)
					mu.Lock()
					defer mu.Unlock()
					served[manner] = append(served[manner], took)
				})
			}
			err := l.GatewayList[i].Kill()
			l.views[i].Forget()
			close(wander)
			each.Wait()
			if err != nil {
				return err
			}
			if err := l.StartGateway(ctx, l.GatewayList[i]); err != nil {
				return err
			}
			_, err = l.AwaitRight(ctx, l.views, l.all, backBound)
			r.Check(fmt.Sprintf("after gateway %d started again", i), err)
			l.lost.over(out)
		}
		for manner, took := range served {
			r.AtMost("its clients ("+string(manner)+") are served elsewhere", elsewhereBound, took)
		}
		return nil
	})
}

// wanderer is a client that goes on at another gateway when its own is lost.
type wanderer struct {
	c       *Cluster
	at      int // gateway
	manner  agent.Manner
	agent   *agent.Agent
	browser int
}

// wanderer is served by a gateway already.
func (c *Cluster) wanderer(ctx context.Context, at int, manner agent.Manner, browser int) (*wanderer, error) {
	w := &wanderer{c: c, at: at, manner: manner, browser: browser}
	w.agent = agent.New("http://"+c.GatewayList[at].Address, c.token(0), manner)
	return w, w.call(ctx)
}

func (w *wanderer) call(ctx context.Context) error {
	list, err := w.agent.List(ctx)
	if err != nil {
		return err
	}
	answer, err := w.agent.Call(ctx, list.Names[fleet.Echo(w.browser)], map[string]any{"text": "here"})
	if err == nil && answer != fleet.Said(w.browser, "here") {
		err = fmt.Errorf("browser %d answered %q", w.browser, answer)
	}
	return err
}

// wander waits until the gateway is lost, and says how long after that another one had served it.
func (w *wanderer) wander(ctx context.Context, lost <-chan struct{}) (time.Duration, error) {
	defer func() { w.agent.Close() }()
	<-lost
	begun := time.Now()
	for {
		ctx, cancel := context.WithTimeout(ctx, callLimit)
		err := w.call(ctx)
		cancel()
		took := time.Since(begun)
		if err == nil || took > callLimit {
			return took, err
		}
		w.agent.Close()
		w.at = (w.at + 1) % len(w.c.GatewayList)
		w.agent = agent.New("http://"+w.c.GatewayList[w.at].Address, w.c.token(0), w.manner)
	}
}
