package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"webmcphub/cluster/etcd/etcdtest"
	"webmcphub/cluster/leases"
	"webmcphub/cluster/leases/leasetest"
)

// BenchmarkAcquire is how long it takes to be given a browser that is ready, of a real etcd on the same machine:
// one after another, and by several clients at three gateways.
func BenchmarkAcquire(b *testing.B) {
	for _, clients := range []int{1, 10} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			w := leasetest.NewWorld(b, opens(b, etcdtest.Start(b, 1), 0))
			stores := []*leases.Store{w.Gateway("a", nil), w.Gateway("b", nil), w.Gateway("c", nil)}
			n := w.Node("n1", 50)
			go n.Refresh(b.Context())
			for _, s := range stores {
				w.Knows(s, 1)
			}
			took, next := make(chan time.Duration, b.N), make(chan int)
			var all sync.WaitGroup
			for i := range clients {
				all.Go(func() {
					for range next {
						began := time.Now()
						l := w.Get(stores[i%3], leases.Request{Tenant: fmt.Sprint(i), Wait: time.Minute})
						took <- time.Since(began)
						if err := stores[i%3].Release(b.Context(), fmt.Sprint(i), l.Handle); err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ResetTimer()
			for i := range b.N {
				next <- i
			}
			close(next)
			all.Wait()
			b.StopTimer()
			close(took)
			var times []time.Duration
			for t := range took {
				times = append(times, t)
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkOverload has tenants wish for ten times as much as there is, at three gateways and a real etcd, for
// ten seconds an iteration. A tenant's wait is the mean of those that were given.
func BenchmarkOverload(b *testing.B) {
	const tenants, browsers, lines, use = 5, 10, 20, 200 * time.Millisecond
	for range b.N {
		w := leasetest.NewWorld(b, opens(b, etcdtest.Start(b, 1), 0))
		limits := &leases.Limits{Default: leases.Quota{Browsers: browsers, Waiting: lines}}
		stores := []*leases.Store{w.Gateway("a", limits), w.Gateway("b", nil), w.Gateway("c", nil)}
		n := w.Node("n1", browsers)
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
		go n.Refresh(ctx)
		for _, s := range stores {
			w.Knows(s, 1)
		}
		var mu sync.Mutex // guards waits and refusals
		waits, refusals := map[int][]time.Duration{}, 0
		var all sync.WaitGroup
		for i := range 10 * browsers * 2 {
			all.Go(func() {
				s, tenant := stores[i%3], i%tenants
				for ctx.Err() == nil {
					began := time.Now()
					l, err := s.Acquire(ctx, leases.Request{Tenant: fmt.Sprint(tenant), Wait: time.Minute}, nil)
					var no *leases.Refusal
					pause := use
					mu.Lock()
					if err == nil {
						waits[tenant] = append(waits[tenant], time.Since(began))
					} else if errors.As(err, &no) {
						refusals++
						pause = no.After
					}
					mu.Unlock()
					select {
					case <-time.After(pause):
					case <-ctx.Done():
					}
					if err == nil {
						_ = s.Release(b.Context(), l.Tenant, l.Handle)
					}
				}
			})
		}
		all.Wait()
		cancel()
		least, most, given := time.Hour, time.Duration(0), 0
		for _, of := range waits {
			var sum time.Duration
			for _, t := range of {
				sum += t
			}
			given += len(of)
			least, most = min(least, sum/time.Duration(len(of))), max(most, sum/time.Duration(len(of)))
		}
		b.ReportMetric(float64(most)/float64(least), "max/min")
		b.ReportMetric(most.Seconds(), "longest-s")
		b.ReportMetric(float64(given), "given")
		b.ReportMetric(float64(refusals), "refused")
	}
}
