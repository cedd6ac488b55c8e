package record

import (
	"compress/gzip"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestKeptOut: of a document that the rules keep out, and of what one in a frame asks for, a trace
// tells no address.
func TestKeptOut(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	_, _ = z.Write([]byte(`{"traceEvents":[
	{"name":"TracingStartedInBrowser","cat":"x","ph":"I","pid":9,"tid":9,"ts":1,"args":{"data":{"frames":[{"frame":"F","isOutermostMainFrame":true,"processId":1,"url":"https://good.test/"},{"frame":"H","parent":"F","processId":1,"url":"https://good.test/shop"},{"frame":"G","parent":"F","processId":2,"url":"https://bank.test/in"}]}}},
	{"name":"navigationStart","cat":"x","ph":"R","pid":1,"tid":1,"ts":1000000,"args":{"frame":"F","data":{"documentLoaderURL":"https://bank.test/accounts?token=s3cret","navigationId":"N1","isOutermostMainFrame":true}}},
	{"name":"navigationStart","cat":"x","ph":"R","pid":1,"tid":1,"ts":3000000,"args":{"frame":"F","data":{"documentLoaderURL":"https://good.test/","navigationId":"N2","isOutermostMainFrame":true}}},
	{"name":"ResourceSendRequest","cat":"x","ph":"I","pid":2,"tid":2,"ts":3100000,"args":{"data":{"requestId":"2.1","url":"https://cdn.test/avatar?user=ann","frame":"G","resourceType":"Image","priority":"Low"}}},
	{"name":"ResourceReceiveResponse","cat":"x","ph":"I","pid":2,"tid":2,"ts":3200000,"args":{"data":{"requestId":"2.1","statusCode":200,"mimeType":"image/png","headers":[{"name":"cache-control","value":"max-age=60"}]}}},
	{"name":"ResourceFinish","cat":"x","ph":"I","pid":2,"tid":2,"ts":3300000,"args":{"data":{"requestId":"2.1","finishTime":3.3,"encodedDataLength":1000}}}]}`))
	_ = z.Close()
	_ = f.Close()
	traces := &Traces{none: errors.New("not asked")}
	who := Who{ID: "1", Permits: func(address string) bool { return !strings.Contains(address, "bank.test") }}
	item, err := traces.Add(context.Background(), &File{Path: f.Name()}, who)
	if err != nil {
		t.Fatal(err)
	}
	text := item.Text()
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "NAVIGATION_0: https://bank.test (") || !strings.Contains(text, "NAVIGATION_1: https://good.test/") {
		t.Errorf("the trace:\n%s", text)
	}
	if n := item.Report.Sets[1].Metrics.Requests; n != 1 {
		t.Errorf("%d requests are counted, not that of the frame", n)
	}
	text, err = traces.Insight(context.Background(), who, "", "NAVIGATION_1", "Cache")
	if err != nil || strings.Contains(text, "user=ann") {
		t.Errorf("what a frame asked for that is kept out: %s, %v", text, err)
	}
	if text, err := traces.Insight(context.Background(), who, "", "NAVIGATION_0", "Cache"); err == nil || !strings.Contains(err.Error(), "kept out") {
		t.Errorf("an insight of the document that is kept out: %s, %v", text, err)
	}
	stricter := Who{ID: "1", Permits: func(address string) bool { return !strings.Contains(address, "good.test/shop") }}
	if _, err := traces.Insight(context.Background(), stricter, "", "NAVIGATION_1", "Cache"); !errors.Is(err, errKeptOut) {
		t.Errorf("an insight of a trace with a document that is kept out by now: %v", err)
	}
}
