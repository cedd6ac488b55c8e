package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"webmcphub/automation/trace"
)

// saved returns what Save writes of a trace, decompressed.
func saved(t *testing.T, zipped []byte, path string) []byte {
	t.Helper()
	f := &File{Path: filepath.Join(t.TempDir(), "trace.json.gz")}
	if err := os.WriteFile(f.Path, zipped, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err := Save(context.Background(), f, path, nil, func(path, _ string, write func(io.Writer) error) (string, error) {
		return path, write(&out)
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return out.Bytes()
	}
	return unzip(t, out.Bytes())
}

func unzip(t *testing.T, zipped []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSavedWithoutSecrets: the file of a trace has no secrets of addresses, headers, posted data and marks, and is JSON.
func TestSavedWithoutSecrets(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`{"traceEvents":[
	{"name":"ResourceSendRequest","ph":"I","ts":4111111111111111,"args":{"data":{"url":"https://a.test/?token=s3cret99","postData":"pw=1&password=s3cret99"}}},
	{"name":"ResourceReceiveResponse","ph":"I","ts":2,"args":{"data":{"headers":[{"name":"set-cookie","value":"s=s3cret99; Path=/"}]}}},
	{"name":"measure","ph":"b","ts":3,"args":{"detail":"{\"card\":4111111111111111,\"password\":\"s3cret99\"}"}}]}`))
	_ = z.Close()
	for _, path := range []string{"x.json", "x.json.gz"} {
		got := saved(t, zipped.Bytes(), path)
		if !json.Valid(got) || bytes.Contains(got, []byte("s3cret")) || bytes.Count(got, []byte("4111111111111111")) != 1 {
			t.Errorf("%s has\n%s", path, got)
		}
	}
}

// TestSavedTraceSaysTheSame: of traces that Chrome recorded, the masked files say the same.
func TestSavedTraceSaysTheSame(t *testing.T) {
	for _, name := range []string{"noreload", "press", "redirect", "text"} {
		zipped, err := os.ReadFile("../testdata/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		plain := unzip(t, zipped)
		got := saved(t, zipped, "x.json")
		was, err := trace.Analyze(bytes.NewReader(plain), nil)
		if err != nil {
			t.Fatal(err)
		}
		is, err := trace.Analyze(bytes.NewReader(got), nil)
		if err != nil || is.Text() != was.Text() {
			t.Errorf("%s says\n%s, %v, not\n%s", name, is.Text(), err, was.Text())
		}
		t.Logf("%s: %d of %d bytes, %d masked", name, len(got), len(plain), bytes.Count(got, []byte("[masked]")))
		for line := range bytes.Lines(got) {
			for i := bytes.Index(line, []byte("[masked]")); i >= 0; i = -1 {
				t.Logf("%s", line[max(0, i-200):min(len(line), i+60)])
			}
		}
	}
}
