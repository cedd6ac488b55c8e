package leases

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkClient is what one change at etcd costs each process that watches it: a lease that another
// has granted or ended, with so many browsers of which four fifths are leased, and so many requests that wait
// for labels that no free browser has.
func BenchmarkClient(b *testing.B) {
	for _, browsers := range []int{1000, 10_000} {
		for _, of := range []struct {
			waiting int
			leads   bool
		}{{0, false}, {0, true}, {100, true}} {
			waiting := of.waiting
			d, turn := busyClient(browsers, waiting, of.leads)
			now := time.Unix(1e9, 0)
			version := int64(1e6)
			step := func(snapshot bool) {
				version++
				r := record{Life: "l"}
				if version%2 == 0 {
					r.Lease = turn
				}
				d.Step(now, Changed{Put: []Entry{{Key: browsersAt + "node-0/b0", Value: encode(r), Created: version, Version: version}}, Revision: version})
				if snapshot {
					d.Snapshot()
				}
			}
			b.Run(fmt.Sprintf("browsers=%d/waiting=%d/leads=%v", browsers, waiting, of.leads), func(b *testing.B) {
				for b.Loop() {
					step(false)
				}
			})
			b.Run(fmt.Sprintf("browsers=%d/waiting=%d/leads=%v/snapshot", browsers, waiting, of.leads), func(b *testing.B) {
				for b.Loop() {
					step(true)
				}
			})
		}
	}
}

func busyClient(browsers, waiting int, leads bool) (*Client, *Lease) {
	d := NewClient(Options{Name: "g", Candidate: true})
	now := time.Unix(1e9, 0)
	var all []Entry
	version := int64(0)
	put := func(key string, v any) {
		version++
		all = append(all, Entry{Key: key, Value: encode(v), Created: version, Version: version})
	}
	lease := func(node, browser string, n int) *Lease {
		return &Lease{Handle: fmt.Sprintf("%s/%s~t%d", node, browser, n), Tenant: fmt.Sprint("tenant-", n%100), Node: node, Browser: browser, Life: "l", Since: now, Until: now.Add(time.Hour)}
	}
	for n := range browsers / 50 {
		node := fmt.Sprint("node-", n)
		m := Member{Role: Node, Name: node, Address: "10.0.0.1:7700", Incarnation: "i"}
		for i := range 50 {
			m.Browsers = append(m.Browsers, Browser{Name: fmt.Sprint("b", i), Labels: []string{"zone=a"}, Condition: Ready, Life: "l"})
			if i%5 != 0 || n == 0 {
				put(browsersAt+fmt.Sprintf("%s/b%d", node, i), record{Life: "l", Lease: lease(node, fmt.Sprint("b", i), n*50+i)})
			}
		}
		put(memberKey(m), m)
	}
	for i := range waiting {
		put(fmt.Sprintf("%st%04d", requestsAt, i), queued{Admitted: true, Tenant: fmt.Sprint("tenant-", i%10), Labels: []string{"zone=b"}})
	}
	put(ElectionAt+"g", nil)
	d.Step(now, InTouch{})
	if leads {
		d.Step(now, Elected{If{ElectionAt + "g", version}})
	}
	d.Step(now, Listed{Entries: all, Revision: version})
	return d, lease("node-0", "b0", 0)
}
