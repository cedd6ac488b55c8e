package leases

import (
	"fmt"
	"testing"
	"time"
)

// A node with more leases than one transaction has room for comes again, after all that was kept is
// lost, no earlier than the last of them is put back.
func TestManyLeasesArePutBackBeforeTheirNode(t *testing.T) {
	const many = 2*MaxOps + 10
	now := time.Unix(1e9, 0)
	m := Member{Role: Node, Name: "n", Incarnation: "i"}
	all := Listed{Revision: many}
	for i := range many {
		b := Browser{Name: fmt.Sprintf("b%d", i), Condition: Ready, Life: "1"}
		m.Browsers = append(m.Browsers, b)
		lease := &Lease{Handle: "n/" + b.Name + "~1", Tenant: "x", Node: "n", Browser: b.Name, Life: "1", Until: now.Add(time.Hour)}
		all.Entries = append(all.Entries, Entry{Key: browsersAt + "n/" + b.Name, Value: encode(record{Life: "1", Lease: lease}), Created: int64(i + 1), Version: int64(i + 1)})
	}
	d := NewClient(Options{Name: "n-i"})
	d.Step(now, Joined{m})
	all.Entries = append(all.Entries, Entry{Key: nodeKey("n"), Value: encode(m), Created: many, Version: many})
	d.Step(now, all)
	d.Step(now, Committed{Slot: Own, Done: true, Revision: many})
	now = now.Add(time.Minute)
	effects := d.Step(now, Listed{Lost: true})
	for back, revision := 0, int64(0); ; {
		var tx *Tx
		for _, e := range effects {
			if c, is := e.(Commit); is {
				tx = &c.Tx
			}
		}
		if tx == nil {
			t.Fatalf("the node does not come again; %d leases are put back", back)
		}
		if max(len(tx.If), len(tx.Put)) > MaxOps {
			t.Fatalf("a transaction has %d conditions and %d changes", len(tx.If), len(tx.Put))
		}
		revision++
		changed, came := Changed{Revision: revision}, false
		for _, p := range tx.Put {
			came = came || p.Key == nodeKey("n")
			if p.Key != nodeKey("n") {
				back++
			}
			changed.Put = append(changed.Put, Entry{Key: p.Key, Value: p.Value, Created: revision, Version: revision})
		}
		if came {
			if back != many {
				t.Errorf("the node has come again when %d of its %d leases were put back", back, many)
			}
			return
		}
		d.Step(now, changed)
		effects = d.Step(now, Committed{Slot: Own, Done: true, Revision: revision})
	}
}
