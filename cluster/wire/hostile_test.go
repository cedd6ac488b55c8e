package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// hostile are messages of so many bytes that are as many and as large values as there can be.
func hostile(bytes int) map[string][]byte {
	fill := func(kind, start, each, end string) []byte {
		start = `{"kind":"` + kind + `","body":` + start
		end += `}`
		n := (bytes - len(start) - len(end) - len(each)) / (len(each) + 1)
		return []byte(start + strings.Repeat(each+",", n) + each + end)
	}
	labels := &strings.Builder{}
	labels.WriteString(`{"kind":"welcome","body":{"Labels":{"":""`)
	for i := 0; labels.Len() < bytes-40; i++ {
		labels.WriteString(`,"` + strconv.FormatInt(int64(i), 36) + `":""`)
	}
	labels.WriteString(`}}}`)
	return map[string][]byte{
		"pages":     fill("whole", `{"Pages":[`, `0`, `]}`),
		"folded":    fill("whole", `{"p\u0061gEs":[`, `0`, `]}`),
		"tools":     fill("changes", `{"Pages":[{"Tools":[`, `0`, `]}]}`),
		"edits":     fill("changes", `{"Edits":[`, `{"Page":{},"Frames":[],"Tools":{}}`, `]}`),
		"prompts":   fill("changes", `{"Edits":[{"Offers":{"prompts":[`, `{}`, `]}}]}`),
		"arguments": fill("whole", `{"Pages":[{"Offers":{"prompts":[{"Arguments":[`, `0`, `]}]}}]}`),
		"numbers":   fill("changes", `{"Edits":[{"Tools":{"Numbers":[`, `0`, `]}}]}`),
		"gone":      fill("changes", `{"Gone":[`, `0`, `]}`),
		"labels":    []byte(labels.String()),
	}
}

// BenchmarkHostile is what a gateway's heap grows to while it reads a message of 64 MiB with as many tools as one may have,
// the message included: what decoding gives and leaves is many times as large as what it needs at once.
func BenchmarkHostile(b *testing.B) {
	tools := hostile(2*maxElements - 1000)["tools"]
	raw := slices.Concat(tools[:len(tools)-2], []byte(`,"pad":"`), bytes.Repeat([]byte("x"), 64<<20-len(tools)-10), []byte(`"}}`))
	var m runtime.MemStats
	for b.Loop() {
		if _, err := Decode(raw); err == nil || errors.Is(err, errElements) {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "MiB-heap")
	b.ReportMetric(float64(len(raw))/(1<<20), "MiB-message")
}

// A message that would become far larger than its text is refused before it is decoded, however its fields are written; and
// the largest that an honest node may send isn't.
func TestElementsAreBounded(t *testing.T) {
	for name, raw := range hostile(2 << 20) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(raw)
		runtime.ReadMemStats(&after)
		if name == "numbers" || name == "edits" || name == "prompts" {
			continue // no more than there may be
		}
		if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; err == nil || allocated > 8 {
			t.Errorf("%s: %d MiB were allocated: %v", name, allocated, err)
		}
	}
	if err := Read([]byte("["+strings.Repeat("0,", maxElements)+"0]"), new([]Tool)); !errors.Is(err, errElements) {
		t.Errorf("a result is read: %v", err)
	}
	honest := Whole{Pages: make([]Page, 100)}
	for i := range honest.Pages { // a node's weight has room for 131,072 pages, tools and so on
		honest.Pages[i] = Page{Frames: make([]Frame, 100), Tools: make([]Tool, 1200)}
	}
	honest.Pages[0].Tools[0].Input = json.RawMessage(`{"enum":[` + strings.Repeat(`[1],`, maxElements) + `1],"a\"]":{"[":[[[2]]]}}`)
	if raw, err := Encode(honest); err != nil || len(raw) < 4*maxElements {
		t.Fatal(len(raw), err)
	} else if _, err := Decode(raw); err != nil {
		t.Error(err)
	}
}

// Elements are counted as they are, but for those in fields that are kept as they come, which no array has that is decoded.
func TestUnits(t *testing.T) {
	for text, want := range map[string]int{
		`{"a":[1,2,{"b":[]},"c,d\\",["e\"",3]]}`:                8 * 16,
		`{"input":[1,2,{"Pages":[1,2,3]}],"Input":[1,2]}`:       1 + 2*16,
		`{"input":1,"x":[1,2],"output":"[","y":[3]}`:            3 + 3*16,
		`{"Numbers":[[1,2],[3,4]],"Gone":["Numbers",[1]]}`:      6 + 1 + 3*16,
		`["input","meta",{"meta" : {"x":[1,2]}},["\u006deta"]]`: 5 * 16,
		`{"input":[1,2`: 0, `]]]]`: 0, `"`: 0, `{"a`: 0, `"\`: 0,
	} {
		if n := units([]byte(text)); n != want {
			t.Errorf("%s: %d, not %d", text, n, want)
		}
	}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch {
		case seen[of] || of == reflect.TypeFor[json.RawMessage]():
			return
		case of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Map || of.Kind() == reflect.Array:
			walk(of.Elem())
			return
		case of.Kind() != reflect.Struct:
			return
		}
		seen[of] = true
		for _, f := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			for raw := range unread {
				if strings.EqualFold(raw, cmp.Or(name, f.Name)) && f.Type != reflect.TypeFor[json.RawMessage]() {
					t.Errorf("%v.%s is decoded, and isn't counted", of, f.Name)
				}
			}
			walk(f.Type)
		}
	}
	for _, m := range kinds {
		walk(reflect.TypeOf(m))
	}
}

// FuzzUnits finds no text that is longer in elements than in characters, or that breaks the count.
func FuzzUnits(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\\",{"meta":[[2]]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var decoded any
		if n := units(text); json.Unmarshal(text, &decoded) == nil && n > numbersAnElement*len(text) {
			t.Errorf("%d units", n)
		}
	})
}
