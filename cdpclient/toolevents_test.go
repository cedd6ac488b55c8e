package cdpclient

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

var toolEventSeeds = []string{
	// As Chromium 156 tells of a script's tool.
	`{"tools":[{"name":"full-tool_1.x","description":"d","inputSchema":{"type":"object","properties":{"n":{"type":"number"}}},"annotations":{"readOnly":true,"untrustedContent":true},"frameId":"F","stackTrace":{"callFrames":[{"functionName":"","scriptId":"4","url":"","lineNumber":0,"columnNumber":39}]}}]}`,
	`{"tools":[{"name":"add","description":"Adds.","inputSchema":{"type":"object","properties":{"a":{}}},"annotations":{"readOnly":true,"consequential":false},"frameId":"F","backendNodeId":7}]}`,
	`{"tools":[{"name":"a\n\"b\u00e9","description":"é–🛒 \u2019","frameId":"F"},{"name":"c","description":"","inputSchema":{ },"frameId":"G"}]}`,
	`{"tools":[{"name":"a","frameId":"F"},{"name":"b","frameId":"F"}]}`,
	` { "tools" : [ { "name" : "a" , "frameId" : "F" } ] } `,
	`{"tools":[]}`, `{"tools":null}`, `{}`, `null`, `[]`, `{"tools":[null]}`, `{"tools":[1]}`, `{"tools":{}}`, `{"tools":[{}]}`, `{"tools":[{"name":"a"}`, `{"tools":[{"name":"a"},]}`,
	`{"tools":[{"name":"a"}],"tools":[{"description":"b"}]}`, `{"tools":[{"name":"a"}],"more":1}`, `{"Tools":[{"NAME":"a"}]}`,
	`{"tools":[{"name":"a","name":"b"}]}`, `{"tools":[{"name":null,"inputSchema":null,"annotations":null}]}`, `{"tools":[{"name":1}]}`,
	`{"tools":[{"name":"a","inputSchema":"x"}]}`, `{"tools":[{"name":"a","inputSchema":{"a":1},"inputSchema":{"b":1}}]}`,
	`{"tools":[{"name":"a","annotations":{"readOnly":null}}]}`, `{"tools":[{"name":"a","annotations":{"readOnly":true,"readOnly":false}}]}`, `{"tools":[{"name":"a","annotations":{"new":true}}]}`,
	`{"tools":[{"name":"a","backendNodeId":-1}]}`, `{"tools":[{"name":"a","backendNodeId":1e2}]}`, `{"tools":[{"name":"a","unknown":{"x":[1]}}]}`, `{"tools":[{"name":"a","stackTrace":1,"stackTrace":2,"FRAMEID":"F"}]}`, `{"tools":[{"n\u0061me":"a"}]}`,
	"{\"tools\":[{\"name\":\"\xff\"}]}", "{\"tools\":[{\"name\":\"a\tb\"}]}", "{\"tools\":[{\"name\":\"é\tb\"}]}", "{\"tools\":[{\"name\":\"\x7f\"}]}", `{"tools":[{"name":"\ud800"}]}`,
	`{"tools":[{"name":"t","frameId":"F","stackTrace":{"callFrames":[{"functionName":"a\"url\":\"b","url":""},{"functionName":"","url":"https:\/\/a.example/\u00e9.js"},{"url":"https://b.example/"}],"parent":{}}}]}`,
	`{"tools":[{"name":"t","stackTrace":null},{"name":"t","stackTrace":[]},{"name":"t","stackTrace":{"url" : "x","url":7}},{"name":"t","stackTrace":{"url":"\ud800"}}]}`,
}

func TestToolEventSeeds(t *testing.T) {
	for _, s := range toolEventSeeds {
		checkToolEvents(t, []byte(s))
	}
}

func FuzzToolEvents(f *testing.F) {
	for _, s := range toolEventSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkToolEvents(t, b) })
}

// checkToolEvents holds Decode to encoding/json. As with the envelope, broken
// JSON within a schema needn't be noticed here; good JSON must not be misread.
func checkToolEvents(t *testing.T, b []byte) {
	t.Helper()
	if !json.Valid(b) {
		_, _ = new(ToolsAdded).Decode(b), new(ToolsRemoved).Decode(b) // and don't panic
		return
	}
	var added, wantAdded ToolsAdded
	err, wantErr := added.Decode(b), json.Unmarshal(b, &wantAdded)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(added, wantAdded) {
		t.Errorf("%q\n got %+v %v\nwant %+v %v", b, added, err, wantAdded, wantErr)
	}
	var removed, wantRemoved ToolsRemoved
	err, wantErr = removed.Decode(b), json.Unmarshal(b, &wantRemoved)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(removed, wantRemoved) {
		t.Errorf("%q\n got %+v %v\nwant %+v %v", b, removed, err, wantRemoved, wantErr)
	}
}

// The script that registered a tool is the innermost one with an address, cut if it's long.
func TestToolScripts(t *testing.T) {
	for trace, want := range map[string]string{
		`{"callFrames":[{"functionName":"\"url\":\"x\"","url":"https://a.example/a.js"},{"url":"https://b.example/"}]}`: "https://a.example/a.js",
		`{"callFrames":[{"url":""},{"url":"https://b.example/\u0061"}]}`:                                                "https://b.example/a",
		`{"callFrames":[{"url":"` + strings.Repeat("é", 3000) + `"}]}`:                                                  strings.Repeat("é", 1024),
		`{"callFrames":[{"url":""}]}`: "", `{}`: "", `null`: "", `{"url":`: "", `{"url":"`: "",
	} {
		if got := string(scriptOf([]byte(trace))); got != want {
			t.Errorf("%.100s: %.100q, want %.100q", trace, got, want)
		}
	}
	all, err := json.Marshal(ToolsAdded{Tools: []Tool{{Name: "a", Script: "https://a.example/"}, {Name: "b"}}})
	var again ToolsAdded
	if err != nil || again.Decode(all) != nil || again.Tools[0].Script != "https://a.example/" || again.Tools[1].Script != "" {
		t.Errorf("%s: %+v", all, again)
	}
}

// The events that matter are decoded without encoding/json, and what they hold
// doesn't change with the message.
func TestToolEventsFast(t *testing.T) {
	params := []byte(toolEventSeeds[0])
	var e ToolsAdded
	if err := e.Decode(params); err != nil || len(e.Tools) != 1 {
		t.Fatal(e, err)
	}
	want := string(e.Tools[0].InputSchema)
	for i := range params {
		params[i] = 'x'
	}
	if string(e.Tools[0].InputSchema) != want || !strings.HasPrefix(want, "{") {
		t.Errorf("the schema is %s", e.Tools[0].InputSchema)
	}
	for i, most := range map[int]float64{0: 8, 1: 8, 3: 6} { // strings, schema, annotations, hints, list
		params := []byte(toolEventSeeds[i])
		if n := testing.AllocsPerRun(100, func() {
			if err := e.Decode(params); err != nil {
				t.Error(err)
			}
		}); n > most {
			t.Errorf("%s takes %v allocations", params, n)
		}
	}
}
