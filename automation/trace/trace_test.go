package trace

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

var rewrite = flag.Bool("update", false, "rewrite the expected texts in testdata")

// TestReports: what is said of recorded traces. That it is true is shown by package
// engine, which asks Chrome.
func TestReports(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json.gz")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			r, err := Analyze(bytes.NewReader(read(t, file)), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			got.WriteString(r.Text())
			for _, s := range r.Sets {
				for _, i := range s.Insights {
					got.WriteString("\n" + i.Text(s))
				}
			}
			name := strings.TrimSuffix(file, ".json.gz") + ".txt"
			if *rewrite {
				if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(read(t, name)); got.String() != want {
				t.Errorf("%s: with -update it becomes\n%s", name, got.String())
			}
		})
	}
}

func read(tb testing.TB, file string) []byte {
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func unzipped(tb testing.TB, file string) []byte {
	return unzip(tb, bytes.NewReader(read(tb, file)))
}

func unzip(tb testing.TB, from io.Reader) []byte {
	z, err := gzip.NewReader(from)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// TestShapes: an array, an object with other members around, bytes that come one by one,
// and compression make no difference.
func TestShapes(t *testing.T) {
	plain := unzipped(t, "testdata/press.json.gz")
	want := analyzed(t, bytes.NewReader(plain))
	from, to := bytes.IndexByte(plain, '['), bytes.LastIndexByte(plain, ']')
	if at := bytes.Index(plain, []byte(`],"metadata"`)); at > 0 {
		to = at
	}
	array := plain[from : to+1]
	for name, r := range map[string]io.Reader{
		"compressed":   bytes.NewReader(read(t, "testdata/press.json.gz")),
		"array":        bytes.NewReader(array),
		"wrapped":      io.MultiReader(strings.NewReader(`{"metadata":{"a":[1,{"traceEvents":[]}],"b":"]}\"","n":-1.5e3,"t":true}, "traceEvents" : `), bytes.NewReader(array), strings.NewReader(`,"z":null}`)),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(plain)),
	} {
		if got := analyzed(t, r); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func analyzed(t *testing.T, from io.Reader) string {
	t.Helper()
	return must(Analyze(from, nil))(t).Text()
}

func must(r *Report, err error) func(*testing.T) *Report {
	return func(t *testing.T) *Report {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// TestCut: of a trace that ends anywhere the report says so, or there is an error.
func TestCut(t *testing.T) {
	plain := unzipped(t, "testdata/noreload.json.gz")
	for i := range 40 {
		n := len(plain) * i / 40
		r, err := Analyze(bytes.NewReader(plain[:n]), nil)
		if err == nil && !r.Lost {
			t.Errorf("%d bytes of %d are whole", n, len(plain))
		}
	}
	zipped := read(t, "testdata/press.json.gz")
	if r, err := Analyze(bytes.NewReader(zipped[:len(zipped)/2]), nil); err != nil || !r.Lost || !strings.Contains(r.Text(), "Data was lost") {
		t.Errorf("half of the compressed one: %v", err)
	}
}

// The documents that a tab showed before are listed behind the one that it shows.
func TestTabsThatShowedOtherPages(t *testing.T) {
	const frame = `{"frame":"F","isOutermostMainFrame":true,"processId":%d,"url":"http://a.test/%[1]d"}`
	got := analyzed(t, strings.NewReader(fmt.Sprintf(`{"traceEvents":[
		{"name":"TracingStartedInBrowser","cat":"x","ph":"I","pid":9,"tid":9,"ts":1000,"args":{"data":{"frames":[`+frame+`,`+frame+`]}}},
		{"name":"thread_name","cat":"__metadata","ph":"M","pid":1,"tid":1,"ts":0,"args":{"name":"CrRendererMain"}},
		{"name":"thread_name","cat":"__metadata","ph":"M","pid":2,"tid":2,"ts":0,"args":{"name":"CrRendererMain"}},
		{"name":"RunTask","cat":"x","ph":"X","pid":1,"tid":1,"ts":2000,"dur":60000,"args":{}}]}`, 1, 2)))
	for _, want := range []string{"http://a.test/1", "1 long task"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
}

func TestNoTraces(t *testing.T) {
	for _, text := range []string{"", " ", "null", "{}", "[]", "[1]", `{"a":1}`, `{"traceEvents":[]}`, `{"traceEvents":{}}`, "<html>", "\x1f\x8bnot gzip", `[{"name":"x"}]`} {
		if r, err := Analyze(strings.NewReader(text), nil); err == nil {
			t.Errorf("%q: %s", text, r.Text())
		}
	}
}

// TestLongEvents: an event longer than any that matters is passed over, and what comes
// after it is read.
func TestLongEvents(t *testing.T) {
	var seen []string
	long := strings.Repeat("x", maxEvent+10)
	stats, err := Read(strings.NewReader(`[{"args":{"s":"`+long+`"},"name":"MarkLoad","ts":1},{"name":"MarkLoad","ts":2.5,"ph":"I","pid":3,"args":{"name":"no","ts":7}}]`),
		func(e *Event) { seen = append(seen, fmt.Sprintf("%s %d %d %s", e.Name, e.TS, e.PID, e.Phase)) })
	if err != nil || stats.Oversize != 1 || stats.Events != 2 || len(seen) != 1 || seen[0] != "MarkLoad 2 3 I" {
		t.Errorf("%+v %v %v", stats, seen, err)
	}
}

// TestOddEvents: a member that isn't as expected counts as missing, and the others are read.
func TestOddEvents(t *testing.T) {
	for event, want := range map[string]string{
		`{"name":"A","ph":"X","pid":"7","tid":2,"ts":3,"dur":4}`:                             "A X 0 2 3 4",
		`{"name":"A","ph":1,"pid":null,"tid":[2],"ts":"3","dur":{"ts":4}}`:                   "A  0 0 0 0",
		`{ "ts" : 3e2 , "args" : { "name" : "B", "ts" : 1 } , "name" : "A" , "x\"" : "\\" }`: "A  0 0 300 0",
		`{"cat":"name","name":"A","s":"{[,:\"name\":\"B\"","args":["ts",{"ts":9}],"pid":1}`:  "A  1 0 0 0",
		`{"name":7,"ts":1}`: "", `{"ts":1}`: "", `{}`: "", `{"name"}`: "", `{,:,:"name"}`: "",
	} {
		got := ""
		stats, err := Read(strings.NewReader("["+event+`,{"name":"last"}]`), func(e *Event) {
			if string(e.Name) != "last" {
				got += fmt.Sprintf("%s %s %d %d %d %d", e.Name, e.Phase, e.PID, e.TID, e.TS, e.Dur)
			}
		})
		if err != nil || stats.Events != 2 || stats.Cut || got != want {
			t.Errorf("%s: %q, want %q (%+v, %v)", event, got, want, stats, err)
		}
	}
}

// TestQuotesAtTheEdge: a backslash before a quote counts though a buffer ends between them.
func TestQuotesAtTheEdge(t *testing.T) {
	for _, end := range []string{`\"`, `\\`, `\\\"`} {
		for before := 256<<10 - 24; before < 256<<10+8; before++ {
			n := 0
			stats, err := Read(strings.NewReader(`[{"name":"`+strings.Repeat("x", before)+end+`"},{"name":"last"}]`), func(*Event) { n++ })
			if err != nil || stats.Cut || n != 2 {
				t.Fatalf("%s behind %d bytes: %d events, %+v, %v", end, before, n, stats, err)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	one := &Report{Sets: []*Set{{URL: "https://a.test/", Metrics: Metrics{LCP: number(2912), CLS: number(0.25), FCP: number(900)}}}}
	two := &Report{Sets: []*Set{{URL: "https://a.test/", Metrics: Metrics{LCP: number(1799), CLS: number(0), FCP: number(900), INP: number(90)}}}}
	if got := Compare(one, two); got != "LCP 2.9 s → 1.8 s, CLS 0.250 → 0.000, INP none → 90 ms" {
		t.Error(got)
	}
	if got := Compare(one, one); got != "no change" {
		t.Error(got)
	}
	if got := Compare(&Report{}, one); got != "" {
		t.Error(got)
	}
}

// FuzzAnalyze: no file makes the reader panic or run forever.
func FuzzAnalyze(f *testing.F) {
	plain := unzipped(f, "testdata/noreload.json.gz")
	f.Add(plain[:20000])
	f.Add([]byte(`{"traceEvents":[{"name":"navigationStart","ts":1,"args":{"frame":"f","data":{"navigationId":"n","documentLoaderURL":"u","isOutermostMainFrame":true}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Analyze(bytes.NewReader(data), nil); err == nil {
			_ = r.Text()
		}
	})
}

// endless gives the events of a trace again and again.
type endless struct {
	head, body []byte
	at         int
	left       int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	if len(e.head) > 0 {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	n := copy(p, e.body[e.at:])
	e.at = (e.at + n) % len(e.body)
	e.left -= int64(n)
	return n, nil
}

// measured gives what another reader does, and notes the most memory that was in use.
type measured struct {
	endless
	most uint64
	next int64
}

func (m *measured) Read(p []byte) (int, error) {
	if m.left <= m.next {
		m.next = m.left - 64<<20
		var is runtime.MemStats
		runtime.ReadMemStats(&is)
		m.most = max(m.most, is.HeapAlloc)
	}
	return m.endless.Read(p)
}

// TestGigabyte: a trace of 1 GB, with long events and short ones, is read in bounded memory.
func TestGigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	plain := unzipped(t, "testdata/press.json.gz")
	events := plain[bytes.IndexByte(plain, '[')+1 : bytes.LastIndex(plain, []byte(`],"metadata"`))]
	head := fmt.Appendf(nil, "[%s,", events)
	var body []byte
	for _, length := range []int{500_000, maxEvent - 100, 16 * maxEvent} { // a screenshot, the longest that is kept, a script's source
		body = fmt.Appendf(body, `{"name":"Screenshot","ph":"O","ts":1,"args":{"snapshot":"%s"}},`, strings.Repeat("x", length))
	}
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const size = 1 << 30
	from := &measured{endless: endless{head: head, body: body, left: size}, next: size}
	r, err := Analyze(from, nil)
	if err != nil || !r.Lost || len(r.Sets) == 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	if grown := from.most - before.HeapAlloc; from.most > before.HeapAlloc && grown > 64<<20 {
		t.Errorf("%d MB more were in use", grown>>20)
	} else {
		t.Logf("%d MB were in use before, %d MB at most", before.HeapAlloc>>20, from.most>>20)
	}
}

// BenchmarkRead is a trace of 64 MB.
func BenchmarkRead(b *testing.B) {
	plain := unzipped(b, "testdata/press.json.gz")
	body := append(bytes.Clone(plain[bytes.IndexByte(plain, '[')+1:bytes.LastIndex(plain, []byte(`],"metadata"`))]), ',')
	b.SetBytes(64 << 20)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Analyze(&endless{head: []byte("["), body: body, left: 64 << 20}, nil)
		if err != nil || !r.Lost {
			b.Fatal(err)
		}
	}
}
