package trace

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// otherTab is a trace of good.test, while a tab of bank.test asks for six images and a font.
func otherTab() string {
	var b strings.Builder
	b.WriteString(`{"traceEvents":[
	{"name":"TracingStartedInBrowser","cat":"x","ph":"I","pid":9,"tid":9,"ts":1,"args":{"data":{"frames":[{"frame":"F","isOutermostMainFrame":true,"processId":1,"url":"https://good.test/"}]}}},
	{"name":"navigationStart","cat":"x","ph":"R","pid":1,"tid":1,"ts":1000000,"args":{"frame":"F","data":{"documentLoaderURL":"https://good.test/","navigationId":"N2","isOutermostMainFrame":true}}}`)
	load := func(frame, url string) {
		for i := range 6 {
			fmt.Fprintf(&b, `,
			{"name":"ResourceSendRequest","cat":"x","ph":"I","pid":7,"tid":7,"ts":%d,"args":{"data":{"requestId":"%s.%d","url":"%s%d","frame":"%s","resourceType":"Image","priority":"Low"}}},
			{"name":"ResourceReceiveResponse","cat":"x","ph":"I","pid":7,"tid":7,"ts":%d,"args":{"data":{"requestId":"%[2]s.%[3]d","statusCode":200,"protocol":"http/1.1","mimeType":"image/png","headers":[{"name":"link","value":"\u003C%[4]s>"}]}}},
			{"name":"ResourceFinish","cat":"x","ph":"I","pid":7,"tid":7,"ts":%[8]d,"args":{"data":{"requestId":"%[2]s.%[3]d","finishTime":1.3,"encodedDataLength":1000}}},
			{"name":"ParseAuthorStyleSheet","cat":"x","ph":"X","pid":7,"tid":7,"ts":%[8]d,"args":{"data":{"styleSheetUrl":"%[4]s%[3]d"}}}`,
				1100000+i, map[bool]string{true: "1", false: "7"}[frame == "F"], i, url, i, frame, 1200000+i, 1300000+i)
		}
	}
	load("F", "https://good.test/img")
	load("OTHERTAB", "https://bank.test/img?token=s3cret")
	load("", "https://bank.test/worker?token=s3cret") // a worker's
	b.WriteString(`,{"name":"BeginRemoteFontLoad","cat":"x","ph":"I","pid":7,"tid":7,"ts":1100500,"args":{"display":"auto","url":"https://bank.test/font?token=s3cret","id":1}}`)
	b.WriteString(`,{"name":"URL: https:\/\/bank.test\/?token=s3cret","cat":"x","ph":"b","pid":7,"tid":7,"ts":1100500,"args":{}}]}`)
	return b.String()
}

// TestOtherTabs: Chrome records what all tabs do, and nothing is told of others than the one that
// was traced, with rules for sites and without.
func TestOtherTabs(t *testing.T) {
	for name, permits := range map[string]func(string) bool{"rules": func(a string) bool { return !strings.Contains(a, "bank.test") }, "no rules": nil} {
		r, err := Analyze(strings.NewReader(otherTab()), permits)
		if err != nil {
			t.Fatal(err)
		}
		set := r.Sets[len(r.Sets)-1]
		for _, i := range set.Insights {
			told := fmt.Sprint(i)
			if strings.Contains(told, "s3cret") || i.Name == "ModernHTTP" && !strings.Contains(told, "6 requests used HTTP/1.1") {
				t.Errorf("%s: %s tells %s", name, i.Name, told)
			}
		}
		if r.KeptOut || set.Metrics.Requests != 6 {
			t.Errorf("%s: something of this tab is kept out: %v, or requests are not its own: %d", name, r.KeptOut, set.Metrics.Requests)
		}
	}
}

// TestOwn: the copy of a trace has what the traced tab did, no address of another, and nothing that isn't JSON.
func TestOwn(t *testing.T) {
	r := must(Analyze(strings.NewReader(otherTab()), nil))(t)
	var copied bytes.Buffer
	if err := r.Own(strings.NewReader(strings.Replace(otherTab(), "[", `[{"name":"x",broken},`, 1)), &copied); err != nil {
		t.Fatal(err)
	}
	text := string(unzip(t, bytes.NewReader(copied.Bytes())))
	for what, times := range map[string]int{"bank.test": 0, "s3cret": 0, "broken": 0, "https://good.test/img": 3 * 6, `"ResourceFinish"`: 3 * 6, "navigationStart": 1, "TracingStarted": 1} {
		if n := strings.Count(text, what); n != times {
			t.Errorf("%s is there %d times, not %d", what, n, times)
		}
	}
	if again := must(Analyze(&copied, nil))(t); said(again) != said(r) {
		t.Errorf("of the copy is said\n%s\nof the trace\n%s", said(again), said(r))
	}
	if err := r.Own(strings.NewReader(otherTab()), io.Discard); err == nil {
		t.Error("it is copied though what that needs is gone")
	}
}

// TestOwnOfRecorded: of traces that Chrome made, the copies say the same.
func TestOwnOfRecorded(t *testing.T) {
	for _, name := range []string{"press", "noreload"} {
		data := read(t, "testdata/"+name+".json.gz")
		r := must(Analyze(bytes.NewReader(data), nil))(t)
		var copied bytes.Buffer
		if err := r.Own(bytes.NewReader(data), &copied); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(unzip(t, bytes.NewReader(copied.Bytes()))), "duckduckgo") {
			t.Errorf("%s: it tells of another tab", name)
		}
		if again := must(Analyze(&copied, nil))(t); said(again) != said(r) {
			t.Errorf("%s: of the copy is said\n%s\nof the trace\n%s", name, said(again), said(r))
		}
	}
}

// said is a report without the number of events.
func said(r *Report) string {
	lines := strings.Split(r.Text(), "\n")
	return strings.Join(append(lines[:1], lines[2:]...), "\n")
}

// TestTooManyFrames: where what all frames showed isn't known, rules for sites keep out whatever
// they asked for; all documents that are told of are given to be asked about.
func TestTooManyFrames(t *testing.T) {
	permits := func(a string) bool { return !strings.Contains(a, "bank.test") }
	const begin = `{"traceEvents":[{"name":"MarkLoad","ts":1,"ph":"I"}`
	committed := func(n int, frame, url string) string {
		return fmt.Sprintf(`,{"name":"FrameCommittedInBrowser","ph":"I","ts":%d,"args":{"data":{"frame":"%s","url":"%s","isOutermostMainFrame":%v}}}`, n+1, frame, url, frame == "F")
	}
	asks := `,{"name":"ResourceSendRequest","ph":"I","ts":3000000,"args":{"data":{"requestId":"2.1","url":"https://cdn.test/?user=ann","frame":"LAST","resourceType":"Image"}}},
		{"name":"ResourceReceiveResponse","ph":"I","ts":3100000,"args":{"data":{"requestId":"2.1","statusCode":200,"mimeType":"image/png"}}}`
	for name, frames := range map[string]int{"few": 3000, "too many": maxMarks + 1, "none": 0} {
		var b strings.Builder
		b.WriteString(begin)
		for i := range frames {
			frame := fmt.Sprint("G", i)
			if i == 0 {
				frame = "F"
			}
			b.WriteString(committed(i, frame, fmt.Sprintf("https://good.test/%d", i)))
		}
		if frames > 0 {
			b.WriteString(committed(frames, "LAST", map[bool]string{true: "https://bank.test/", false: "https://good.test/last"}[frames > maxMarks]))
		}
		r := must(Analyze(strings.NewReader(b.String()+asks+"]}"), permits))(t)
		tells := strings.Contains(fmt.Sprint(r.Sets[0].Insights), "user=ann")
		if tells != (name == "few") || r.KeptOut == tells || tells && len(r.Addresses) != frames+1 {
			t.Errorf("%s: it tells of what a frame asked for: %v, and that something is kept out: %v, of %d documents", name, tells, r.KeptOut, len(r.Addresses))
		}
	}
}
