package recording

import (
	"os"
	"testing"
	"time"
)

// BenchmarkCall measures what the writer does for one call and its answer.
func BenchmarkCall(b *testing.B) {
	f, err := os.CreateTemp(b.TempDir(), "")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r := newLineWriter(f, time.Now(), Options{MaxSize: 1 << 40, Mask: Secrets})
	r.message(time.Now(), ours, []byte(`{"result":{"tools":[{"name":"webmcp_a_test_page0_echo","inputSchema":{"type":"object"}}]}}`))
	call := []byte(`{"jsonrpc":"2.0","id":123,"method":"tools/call","params":{"name":"webmcp_a_test_page0_echo","arguments":{"n":1,"text":"some words to be echoed"}}}`)
	answer := []byte(`{"jsonrpc":"2.0","id":123,"result":{"content":[{"type":"text","text":"some words"}],"_meta":{"webmcp-hub/provenance":{"trust":"[untrusted page content]","origin":"https://a.test"}}}}`)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.message(time.Now(), client, call)
		r.message(time.Now(), hub, answer)
		if i%100 == 0 {
			r.write()
		}
	}
}
