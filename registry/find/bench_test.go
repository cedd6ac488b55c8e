//go:build linux

package find

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"webmcphub/registry"
)

// Words of which tools are made, so that 20,000 of them differ.
var (
	verbs  = []string{"search", "list", "get", "create", "update", "delete", "cancel", "book", "track", "share", "export", "compare", "rate", "assign", "approve", "archive", "send", "upload", "schedule", "pay"}
	nouns  = []string{"orders", "products", "flights", "rooms", "invoices", "messages", "documents", "tickets", "patients", "courses", "photos", "songs", "recipes", "players", "repositories", "alarms", "plants", "policies", "contacts", "reports"}
	wheres = []string{"warehouse", "branch", "region", "team", "project", "account", "season", "folder", "campus", "fleet"}
)

// city is a hub with tabs of 100 tools each, all different, and a query for each tool.
func city(tools int) (h *hub, queries []string) {
	h = newHub(registry.Options{})
	for page := range tools / 100 {
		id := registry.PageID(fmt.Sprint("p", page))
		h.open(id, fmt.Sprintf("https://site%d.example/", page), fmt.Sprintf("Site %d of %s", page, nouns[page%len(nouns)]))
		var all []*registry.PageTool
		for i := range 100 {
			n := page*100 + i
			verb, noun, where := verbs[n%20], nouns[n/20%20], wheres[n/400%10]
			own := fmt.Sprintf("kind%d", n)
			all = append(all, &registry.PageTool{Name: verb + "_" + noun + "_" + own, Description: fmt.Sprintf("Lets a user %s the %s of one %s, by its number or its name, and returns what there is of %s now.", verb, noun, where, own),
				InputSchema: schemaOf(`"` + where + `_id":{"type":"string","description":"The ` + where + ` to look at"},"limit":{"type":"integer"},"sort":{"enum":["newest","oldest"]}`)})
			queries = append(queries, verb+" my "+noun+" of the "+where+" "+own)
		}
		h.report(id, all...)
	}
	return h, queries
}

// BenchmarkSearch measures searches in 20,000 tools and checks what they find. p99 is the
// time that all but one of a hundred take at most; where others keep the machine busy, that
// of the processor (cpu) says more.
func BenchmarkSearch(b *testing.B) {
	h, queries := city(20_000)
	x := h.index(b)
	for _, c := range []struct {
		name  string
		query func(i int) string
		right func(i int, found []Found) bool
	}{
		{"one tool", func(i int) string { return queries[i*7919%len(queries)] }, func(i int, found []Found) bool {
			return len(found) > 0 && found[0].Tool.Source().Name[len(found[0].Tool.Source().Name)-3:] == queries[i*7919%len(queries)][len(queries[i*7919%len(queries)])-3:]
		}},
		{"frequent words", func(i int) string { return verbs[i%20] + " " + nouns[i/20%20] + " by number or name, newest first" }, func(i int, found []Found) bool { return len(found) == 10 }},
		{"misspelled", func(i int) string { return "shcedule the docments of one campsu" }, func(i int, found []Found) bool {
			return len(found) == 10 && found[0].Tool.Source().Name[:18] == "schedule_documents"
		}},
		{"long", func(i int) string { return random(i, 500) + " " + queries[i%len(queries)] + " " + random(i+1, 10_000) }, func(i int, found []Found) bool { return len(found) > 0 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var took, busy []time.Duration
			for i := range b.N {
				began, cpu := time.Now(), threadTime()
				found, _ := x.Search(Query{Text: c.query(i), Limit: 10})
				took, busy = append(took, time.Since(began)), append(busy, threadTime()-cpu)
				if !c.right(i, found) {
					b.Fatalf("%.200q finds %q", c.query(i), namesOf(found))
				}
			}
			slices.Sort(took)
			slices.Sort(busy)
			b.ReportMetric(float64(busy[len(busy)*99/100].Microseconds()), "p99-cpu-µs")
			b.ReportMetric(float64(busy[len(busy)/2].Microseconds()), "p50-cpu-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// threadTime is for how long the thread has had a processor.
func threadTime() time.Duration {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}

// BenchmarkUpdate measures building the index of 20,000 tools anew, of which it has read all, after one page of 100
// tools has lost them, or has them back.
func BenchmarkUpdate(b *testing.B) {
	h, _ := city(20_000)
	x := h.index(b)
	with := h.catalog()
	tools := with.Tab("p7").Tools
	var source []*registry.PageTool
	for _, t := range tools {
		source = append(source, t.Source())
	}
	h.state.Step(registry.ToolsReported{Page: "p7", Gen: 1})
	without := h.catalog()
	b.ResetTimer()
	for range b.N {
		if !x.Update(without, 1000) || !x.Update(with, 1000) {
			b.Fatal("not there")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2/1e6, "ms/build")
	if found, _ := x.Search(Query{Text: source[42].Name, Limit: 1}); len(found) != 1 || found[0].Tool.Source() != source[42] {
		b.Fatal("not found")
	}
}

// BenchmarkRead measures reading tools that the index has never seen.
func BenchmarkRead(b *testing.B) {
	h, _ := city(2000)
	c := h.catalog()
	b.ResetTimer()
	for range b.N {
		if !NewIndex().Update(c, 1<<30) {
			b.Fatal("not there")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/tool")
}
