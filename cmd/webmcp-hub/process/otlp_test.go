package process

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"webmcphub/mcpserver/calls"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestTrace: a span is sent at the end at the latest, with the header of the environment.
func TestTrace(t *testing.T) {
	t.Setenv("OTLP_TOKEN", "Bearer s3cret")
	got := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- r.URL.Path + " " + r.Header.Get("Authorization")
	}))
	defer s.Close()
	f := OTLPFlags{OTLPEndpoint: s.URL + "/here", OTLPHeader: []string{"Authorization: {env: OTLP_TOKEN}"}}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	trace, end, err := f.Trace("v1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, over := trace(calls.Record{Began: time.Now()}, "")
	over(calls.Record{Outcome: "ok"})
	end()
	if text := <-got; text != "/here Bearer s3cret" {
		t.Errorf("asked %s", text)
	}
	if trace, end, err := (OTLPFlags{}).Trace("v1", nil); trace != nil || end != nil || err != nil {
		t.Error("calls are traced that nobody asked for")
	}
}

func TestCheck(t *testing.T) {
	for want, f := range map[string]OTLPFlags{
		"goes with --otlp-endpoint only": {OTLPHeader: []string{"A: b"}},
		"must be a URL":                  {OTLPEndpoint: "localhost:4318"},
		"--otlp-header must look like":   {OTLPEndpoint: "http://h", OTLPHeader: []string{"s3cret"}},
	} {
		if err := f.Check(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
