package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

// Manner is how an agent speaks MCP.
type Manner string

// The manners.
const (
	Modern  Manner = "2026-07-28" // each request stands for itself
	Session Manner = "2025-06-18" // initialize begins a session
)

// Agent is an MCP client of one gateway.
type Agent struct {
	base, token string
	manner      Manner
	client      *http.Client
	ids         atomic.Int64

	mu      sync.Mutex
	session string // of the manner Session, "" before it has begun
}

// New is an agent that speaks with the server at base, such as http://127.0.0.1:8808. Its
// session, if it needs one, begins with the first request. Without token it sends none.
func New(base, token string, manner Manner) *Agent {
	return &Agent{base: base, token: token, manner: manner,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// Close lets the agent's connections go.
func (a *Agent) Close() { a.client.CloseIdleConnections() }

// Refused is a JSON-RPC error, or an HTTP status that isn't a good one.
type Refused struct {
	Status int
	Code   int
	Text   string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("refused (HTTP %d, code %d): %.300s", r.Status, r.Code, r.Text)
}

// answer is a JSON-RPC response.
type answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// ask sends a request, and gives the result. name is that of the tool, if one is called.
func (a *Agent) ask(ctx context.Context, method, name string, params map[string]any) (json.RawMessage, error) {
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	return a.exchange(ctx, method, name, params)
}

func (a *Agent) exchange(ctx context.Context, method, name string, params map[string]any) (json.RawMessage, error) {
	id := a.ids.Add(1)
	r, err := a.post(ctx, method, name, id, params)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := only(r, fmt.Sprint(id))
	if err != nil {
		return nil, err
	}
	var got answer
	if err := json.Unmarshal(body, &got); err != nil || got.Error != nil || r.StatusCode != http.StatusOK {
		refused := &Refused{Status: r.StatusCode, Text: string(body)}
		if got.Error != nil {
			refused.Code, refused.Text = got.Error.Code, got.Error.Message
		}
		return nil, refused
	}
	return got.Result, nil
}

// post sends a message; id 0 is that of a notification.
func (a *Agent) post(ctx context.Context, method, name string, id int64,
	params map[string]any) (*http.Response, error) {
	if a.manner == Modern {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": Modern,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	}
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if id != 0 {
		message["id"] = id
	}
	raw, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	req, err := a.request(ctx, http.MethodPost, "/mcp", bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Protocol-Version", string(a.manner))
	if a.manner == Modern {
		req.Header.Set("Mcp-Method", method)
		if name != "" {
			req.Header.Set("Mcp-Name", name)
		}
	}
	return a.client.Do(req)
}

func (a *Agent) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.session != "" {
		req.Header.Set("Mcp-Session-Id", a.session)
	}
	return req, nil
}

// begin begins the session, if the agent needs one and has none.
func (a *Agent) begin(ctx context.Context) error {
	a.mu.Lock()
	there := a.session != ""
	a.mu.Unlock()
	if a.manner == Modern || there {
		return nil
	}
	hello := map[string]any{"protocolVersion": Session, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}}
	r, err := a.post(ctx, "initialize", "", a.ids.Add(1), hello)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	session := r.Header.Get("Mcp-Session-Id")
	if err != nil || session == "" {
		return errors.Join(err, &Refused{Status: r.StatusCode, Text: "initialize was answered without a session: " +
			string(text)})
	}
	a.mu.Lock()
	a.session = session
	a.mu.Unlock()
	if r, err = a.post(ctx, "notifications/initialized", "", 0, map[string]any{}); err != nil {
		return err
	}
	return r.Body.Close()
}

// only is the response to a request, be it the body or an event of it.
func only(r *http.Response, id string) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return io.ReadAll(r.Body)
	}
	var found []byte
	err := events(r.Body, func(data []byte) bool {
		var got answer
		if json.Unmarshal(data, &got) == nil && string(got.ID) == id && (got.Result != nil || got.Error != nil) {
			found = bytes.Clone(data)
		}
		return found == nil
	})
	if found == nil {
		return nil, fmt.Errorf("the stream ended without the answer: %w", err)
	}
	return found, nil
}

// events reads the data of an event stream until more says false, or it ends, which is an error.
func events(from io.Reader, more func(data []byte) bool) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 256<<20)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok && !more(bytes.TrimSpace(data)) {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
