package registry

import (
	"fmt"
	"testing"
)

// BenchmarkOpenTabs measures a browser's first 10,000 tabs, and with stable=true
// also that half of them go and come back to their places among the others.
func BenchmarkOpenTabs(b *testing.B) {
	const tabs = 10_000
	for _, stable := range []bool{false, true} {
		b.Run(fmt.Sprint("stable=", stable), func(b *testing.B) {
			ids := make([]PageID, tabs)
			for i := range ids {
				ids[i] = PageID(fmt.Sprint("p", i))
			}
			for b.Loop() {
				s := NewState(Options{StableIndex: stable})
				s.cooling = true // all within one flush interval
				for _, id := range ids {
					s.Step(PageOpened{Page: id, URL: "https://shop.example/"})
				}
				if stable {
					for i := 0; i < tabs; i += 2 {
						s.Step(PageClosed{ids[i]})
					}
					for i := 0; i < tabs; i += 2 {
						s.Step(PageOpened{Page: ids[i], URL: "https://shop.example/"})
					}
				}
				s.Step(FlushDue{})
				if n := len(s.Catalog().Tabs()); n != tabs || s.Catalog().Tabs()[tabs/2].Page != ids[tabs/2] {
					b.Fatalf("%d tabs", n)
				}
			}
		})
	}
}
