package tree

import "testing"

// flat is a document with a number of nodes, all paragraphs in one node.
func flat(size int) *DOM {
	d := &DOM{byBackend: map[int]int{}}
	for i := range size {
		n := domNode{Backend: i + 1, FirstKid: -1, NextOfKin: i + 1, Size: 1, Tag: "P", Laid: true, Value: "found"}
		if i == 0 {
			n.Parent, n.FirstKid, n.Size, n.NextOfKin, n.Tag, n.Value = -1, 1, size, -1, "#document", ""
		}
		if i == size-1 {
			n.NextOfKin = -1
		}
		d.Nodes = append(d.Nodes, n)
	}
	return d
}

// TestRoomOfManyFrames: the bound holds for all documents of a process together, though each is
// small, and for queries, too. What is beyond it is told.
func TestRoomOfManyFrames(t *testing.T) {
	const frames, size = 300, 390
	for name, plan := range map[string]func(d *DOM, room int) *Part{
		"a snapshot": func(d *DOM, room int) *Part { return Plan(d, 0, 0, room) },
		"a query":    func(d *DOM, room int) *Part { return Search(d, 0, func(s string) bool { return s == "found" }, room) },
	} {
		asked, left := 0, 0
		for range frames {
			d := flat(size)
			p := plan(d, Room-asked)
			if p == nil {
				asked += size
				continue
			}
			asked += p.Nodes
			left += p.beyond
			for _, run := range p.more {
				left += run.Count
			}
		}
		if asked > Room+frames {
			t.Errorf("%s asks for %d nodes; %d are to be asked for at most", name, asked, Room)
		}
		if told := asked + left; told < frames*(size-2) {
			t.Errorf("%s asks for %d nodes and tells of %d more, of %d", name, asked, left, frames*size)
		}
	}
}
