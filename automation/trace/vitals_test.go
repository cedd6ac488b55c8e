package trace

import (
	"strings"
	"testing"
)

// TestBlockingTime: a task of 150 ms in whose middle (at 50 ms) FCP falls blocks for 50 ms: Lighthouse first clips it to
// what is after FCP, and then takes 50 ms off (core/lib/tracehouse: calculateTbtImpactForEvent).
func TestBlockingTime(t *testing.T) {
	r, err := Analyze(strings.NewReader(`{"traceEvents":[
	{"name":"TracingStartedInBrowser","cat":"x","ph":"I","pid":9,"tid":9,"ts":1,"args":{"data":{"frames":[{"frame":"F","isOutermostMainFrame":true,"processId":1,"url":"http://a.test/"}]}}},
	{"name":"navigationStart","cat":"x","ph":"R","pid":1,"tid":1,"ts":1000000,"args":{"frame":"F","data":{"documentLoaderURL":"http://a.test/","navigationId":"N","isOutermostMainFrame":true}}},
	{"name":"RunTask","cat":"x","ph":"X","pid":1,"tid":1,"ts":1100000,"dur":150000,"args":{}},
	{"name":"firstContentfulPaint","cat":"x","ph":"R","pid":1,"tid":1,"ts":1150000,"args":{"frame":"F","data":{"navigationId":"N"}}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Sets[len(r.Sets)-1].Metrics.TBT; got == nil {
		t.Error("no TBT")
	} else if *got != 50 {
		t.Errorf("TBT %v, not 50 ms", *got)
	}
}

// TestPartsOfLCP: an image that was asked for before the document's first byte (Early Hints) gives no negative part.
func TestPartsOfLCP(t *testing.T) {
	r, err := Analyze(strings.NewReader(`{"traceEvents":[
	{"name":"TracingStartedInBrowser","cat":"x","ph":"I","pid":9,"tid":9,"ts":1,"args":{"data":{"frames":[{"frame":"F","isOutermostMainFrame":true,"processId":1,"url":"http://a.test/"}]}}},
	{"name":"navigationStart","cat":"x","ph":"R","pid":1,"tid":1,"ts":1000000,"args":{"frame":"F","data":{"documentLoaderURL":"http://a.test/","navigationId":"N","isOutermostMainFrame":true}}},
	{"name":"ResourceSendRequest","cat":"x","ph":"I","pid":1,"tid":1,"ts":1001000,"args":{"data":{"requestId":"N","url":"http://a.test/","frame":"F","resourceType":"Document"}}},
	{"name":"ResourceReceiveResponse","cat":"x","ph":"I","pid":1,"tid":1,"ts":1400000,"args":{"data":{"requestId":"N","statusCode":200,"timing":{"requestTime":1.001,"sendEnd":1,"receiveHeadersStart":399}}}},
	{"name":"ResourceSendRequest","cat":"x","ph":"I","pid":1,"tid":1,"ts":1100000,"args":{"data":{"requestId":"1.2","url":"http://a.test/i.png","frame":"F","resourceType":"Image"}}},
	{"name":"ResourceFinish","cat":"x","ph":"I","pid":1,"tid":1,"ts":1300000,"args":{"data":{"requestId":"1.2","finishTime":1.3,"encodedDataLength":1000}}},
	{"name":"LargestImagePaint::Candidate","cat":"x","ph":"R","pid":1,"tid":1,"ts":1500000,"args":{"frame":"F","data":{"DOMNodeId":5,"imageUrl":"http://a.test/i.png"}}},
	{"name":"largestContentfulPaint::Candidate","cat":"x","ph":"R","pid":1,"tid":1,"ts":1500000,"args":{"frame":"F","data":{"navigationId":"N","type":"image","nodeId":5,"candidateIndex":1}}}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	lcp, sum := r.Sets[len(r.Sets)-1].LCP, 0.0
	if lcp == nil || len(lcp.Parts) != 4 {
		t.Fatalf("LCP is %+v", lcp)
	}
	for _, p := range lcp.Parts {
		if sum += p.MS; p.MS < 0 {
			t.Errorf("%s takes %v ms", p.Name, p.MS)
		}
	}
	if sum != 500 {
		t.Errorf("the parts of 500 ms are %v ms: %+v", sum, lcp.Parts)
	}
}
