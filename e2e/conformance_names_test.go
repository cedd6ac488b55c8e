package e2e

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// bareNames stands before a hub and shortens the names of one page's tools and prompts, and the URIs of its resources:
// the conformance suite calls test_simple_text, which the hub has as webmcp_…_page0_test_simple_text, and reads
// test://static-text. It changes nothing else. It gives its address.
func bareNames(t *testing.T, hub, prefix, uris string) string {
	t.Helper()
	target, err := url.Parse(strings.TrimSuffix(hub, "/mcp"))
	if err != nil {
		t.Fatal(err)
	}
	wire := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Transport:     wire,
		FlushInterval: -1, // at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			long := func(s string) string {
				for _, fixture := range []string{"test_", "json_schema_"} {
					s = strings.ReplaceAll(s, `"name":"`+fixture, `"name":"`+prefix+fixture)
				}
				return bareURI.ReplaceAllStringFunc(s, func(member string) string {
					return `"uri":"` + uris + url.QueryEscape(strings.TrimPrefix(member, `"uri":"`))
				})
			}
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				return // the hub sees the shorter body, and refuses it
			}
			named := long(string(body))
			r.Out.Body, r.Out.ContentLength = io.NopCloser(strings.NewReader(named)), int64(len(named))
			member := `"name":"`
			if strings.Contains(named, `"method":"resources/`) {
				member = `"uri":"`
			}
			if name := r.In.Header.Get("Mcp-Name"); name != "" {
				r.Out.Header.Set("Mcp-Name", strings.TrimPrefix(long(member+name), member))
			}
		},
		ModifyResponse: func(r *http.Response) error {
			r.Body = &shortened{ReadCloser: r.Body, lines: bufio.NewReader(r.Body), prefix: []byte(prefix),
				uris: regexp.MustCompile(regexp.QuoteMeta(uris) + `([^"]+)`)}
			r.ContentLength = -1
			r.Header.Del("Content-Length")
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		wire.CloseIdleConnections()
	})
	return server.URL + "/mcp"
}

var bareURI = regexp.MustCompile(`"uri":"test://[^"]+`)

// shortened is a body, as it arrives, with the prefix taken out of each line, and the page's own URIs.
type shortened struct {
	io.ReadCloser
	lines  *bufio.Reader
	prefix []byte
	uris   *regexp.Regexp
	rest   []byte // of the line that was read last
	err    error
}

func (s *shortened) Read(p []byte) (int, error) {
	for len(s.rest) == 0 && s.err == nil {
		s.rest, s.err = s.lines.ReadBytes('\n')
		s.rest = bytes.ReplaceAll(s.rest, s.prefix, nil)
		s.rest = s.uris.ReplaceAllFunc(s.rest, func(uri []byte) []byte {
			own, _ := url.PathUnescape(string(s.uris.FindSubmatch(uri)[1]))
			return []byte(own)
		})
	}
	if len(s.rest) == 0 {
		return 0, s.err
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func TestBareNames(t *testing.T) {
	t.Parallel()
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Mcp-Name")+"\n")
		_, _ = io.WriteString(w, strconv.FormatInt(r.ContentLength, 10)+"\n")
		_, _ = io.Copy(w, r.Body)
	}))
	defer echo.Close()
	request, err := http.NewRequest("POST", bareNames(t, echo.URL+"/mcp", "long_", "webmcp://long/"), strings.NewReader(`{"name":"test_x","other":"test_x","uri":"test://y"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Mcp-Name", "test_x")
	wire := &http.Transport{}
	defer wire.CloseIdleConnections()
	resp, err := wire.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if want := "test_x\n76\n" + `{"name":"test_x","other":"test_x","uri":"test://y"}`; err != nil || string(got) != want {
		t.Errorf("got %q, want %q (%v)", got, want, err)
	}
}
