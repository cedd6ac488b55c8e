package wire

import "iter"

// Edit is what differs of a page that the gateway has, in the same document. What is nil is as it was.
type Edit struct {
	ID     string
	Page   *Page        `json:",omitempty"` // what it is, but for ID and what follows
	Frames *[]Frame     `json:",omitempty"` // all
	Offers *Offers      `json:",omitempty"` // all
	Tools  *ToolChanges `json:",omitempty"`
}

// ToolChanges are a page's tools, most of which the gateway has.
type ToolChanges struct {
	Numbers []Run  // of all of them, in their order
	New     []Tool // those of them that the gateway may not have
}

// Run is the first of numbers that follow each other, and how many these are.
type Run [2]uint64

// Runs are numbers as they are sent.
func Runs(numbers iter.Seq[uint64]) (runs []Run) {
	for n := range numbers {
		if last := len(runs) - 1; last >= 0 && runs[last][0]+runs[last][1] == n {
			runs[last][1]++
		} else {
			runs = append(runs, Run{n, 1})
		}
	}
	return runs
}

// Numbers are those of runs; not ok where they are more than most.
func Numbers(runs []Run, most int) (all []uint64, ok bool) {
	for _, r := range runs {
		if r[1] > uint64(most-len(all)) {
			return nil, false
		}
		for i := range r[1] {
			all = append(all, r[0]+i)
		}
	}
	return all, true
}
