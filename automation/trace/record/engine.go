package record

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"webmcphub/cdpclient"
)

//go:embed engine.js
var script string

// MaxTrace bounds the traces that are loaded, in bytes of gzip. The engine holds a whole trace as one string, and V8
// allows 512 MB for a string.
const MaxTrace = 40 << 20

// chunk is how much of a trace is sent at once, in bytes.
const chunk = 1 << 20

// enginePage is a bundled resource that is not a document with scripts of its own.
const enginePage = "devtools://devtools/bundled/models/trace/trace.js"

// ErrNoEngine says that this Chrome's engine can't be used.
var ErrNoEngine = errors.New("this Chrome has no trace engine that the hub can use")

// Engine is Chrome's trace engine. Any goroutine may call its methods. The engine does one thing at a time.
type Engine struct {
	Version string // the version of Chrome

	conn    *cdpclient.Conn
	browser cdpclient.SessionID
	session cdpclient.SessionID
}

// OpenEngine starts the engine of the Chrome behind conn. If there is none, the error is an [ErrNoEngine] with the
// reason.
func OpenEngine(ctx context.Context, conn *cdpclient.Conn) (*Engine, error) {
	e := &Engine{conn: conn}
	if err := e.open(ctx); err != nil {
		e.Close()
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return e, nil
}

func (e *Engine) open(ctx context.Context) error {
	var browser, tab cdpclient.SessionParams
	if err := e.conn.Call(ctx, "", "Target.attachToBrowserTarget", nil, &browser); err != nil {
		return err
	}
	e.browser = browser.SessionID
	e.conn.Attach(e.browser, nil)
	var made cdpclient.CreateTargetResult
	if err := e.conn.Call(ctx, e.browser, cdpclient.TargetCreateTarget,
		map[string]any{"url": enginePage, "hidden": true}, &made); err != nil {
		return err
	}
	if err := e.conn.Call(ctx, e.browser, cdpclient.TargetAttachToTarget,
		map[string]any{"targetId": made.TargetID, "flatten": true}, &tab); err != nil {
		return err
	}
	e.session = tab.SessionID
	e.conn.Attach(e.session, nil)
	return e.start(ctx)
}

// start imports the engine. The target may still be loading its page, and the import works only from that page.
func (e *Engine) start(ctx context.Context) error {
	var at string
	for range 2 {
		if err := e.evaluate(ctx, `new Promise(done => document.readyState === 'complete' ? done(location.href) : addEventListener('load', () => done(location.href)))`, &at); err != nil {
			if at == "" && ctx.Err() == nil {
				continue // its first document was replaced meanwhile
			}
			return err
		}
		if strings.HasPrefix(at, "devtools:") {
			break
		}
	}
	return e.evaluate(ctx, "("+script+")()", &e.Version)
}

// evaluate returns the value of an expression in the target.
func (e *Engine) evaluate(ctx context.Context, expression string, value any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := e.conn.Call(ctx, e.session, cdpclient.RuntimeEvaluate,
		map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		first, _, _ := strings.Cut(r.ExceptionDetails.Exception.Description, "\n")
		return fmt.Errorf("%s %s", r.ExceptionDetails.Text, first)
	case value == nil || len(r.Result.Value) == 0:
		return nil
	}
	return json.Unmarshal(r.Result.Value, value)
}

// call calls one of the script's functions.
func (e *Engine) call(ctx context.Context, function string, result any, args ...any) error {
	list, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return e.evaluate(ctx, fmt.Sprintf("hub.%s(...%s)", function, list), result)
}

// Summary is the engine's analysis of a trace.
type Summary struct {
	Sets []InsightSet `json:"sets"`
}

// InsightSet is an insight set. Its figures are in milliseconds; nil means unknown.
type InsightSet struct {
	ID       string             `json:"id"`
	From     int64              `json:"from"` // in microseconds of Chrome's clock
	URL      string             `json:"url"`
	FCP      *float64           `json:"fcp"`
	LCP      *float64           `json:"lcp"`
	INP      *float64           `json:"inp"`
	CLS      float64            `json:"cls"`
	Parts    map[string]float64 `json:"parts"` // the parts of LCP: ttfb, loadDelay, loadDuration, renderDelay
	Insights []EngineInsight    `json:"insights"`
}

// EngineInsight is one of the engine's insights.
type EngineInsight struct {
	Name    string             `json:"name"`
	State   string             `json:"state"`
	Savings map[string]float64 `json:"savings,omitempty"` // estimated, in milliseconds (CLS: a score)
	Wasted  int64              `json:"wastedBytes,omitempty"`
}

// Load makes the engine parse a trace, compressed by gzip, and keep it until [Engine.Drop].
func (e *Engine) Load(ctx context.Context, id string, trace io.Reader) (*Summary, error) {
	buf := make([]byte, chunk)
	total := 0
	for {
		n, err := io.ReadFull(trace, buf)
		if total += n; total > MaxTrace {
			e.Drop(id)
			return nil, fmt.Errorf("the trace is too long for Chrome's engine: more than %d MiB", MaxTrace>>20)
		}
		if n > 0 {
			if err := e.call(ctx, "chunk", nil, id, base64.StdEncoding.EncodeToString(buf[:n])); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			e.Drop(id)
			return nil, err
		}
	}
	var s Summary
	if err := e.call(ctx, "parse", &s, id); err != nil {
		e.Drop(id)
		return nil, fmt.Errorf("the trace engine of Chrome: %w", err)
	}
	return &s, nil
}

// Insight returns the engine's own text about an insight, or "" if it has none.
func (e *Engine) Insight(ctx context.Context, id, set, name string) (text string, err error) {
	err = e.call(ctx, "insight", &text, id, set, name)
	return text, err
}

// Drop makes the engine forget a trace.
func (e *Engine) Drop(id string) {
	expression, _ := json.Marshal(id)
	e.conn.Post(e.session, cdpclient.RuntimeEvaluate, map[string]any{"expression": "hub.drop(" + string(expression) +
		")"}, nil)
}

// Close ends the engine and closes its target.
func (e *Engine) Close() {
	if e.session != "" {
		e.conn.Detach(e.session)
	}
	if e.browser != "" {
		e.conn.Detach(e.browser)
		e.conn.Post("", cdpclient.TargetDetachFromTarget, cdpclient.SessionParams{SessionID: e.browser}, nil)
	}
}
