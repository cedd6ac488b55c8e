package grid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"webmcphub/cdpclient"
)

const (
	// maxConnect limits the connection to the grid. maxAnswer limits all requests but those for new sessions, which
	// may wait in a queue.
	maxConnect = 30 * time.Second
	maxAnswer  = 10 * time.Second
	// maxBody is how long an answer may be, in bytes. The answer to /status grows with the grid.
	maxBody = 16 << 20
	// maxErrorText is how much of the grid's text an error contains, in bytes.
	maxErrorText = 250
)

// driver is a WebDriver client of a grid.
type driver struct {
	at     *url.URL
	header func() (http.Header, error)
	client *http.Client
}

// newClient returns a client without a proxy that follows no redirects, because either would send secrets elsewhere.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: maxConnect}).DialContext,
			TLSHandshakeTimeout: maxConnect,
			DisableKeepAlives:   true, // so that no connection stays open after the sessions
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// place returns the grid's address without secrets, for errors.
func (d driver) place() string { return cdpclient.Place(d.at.String()) }

// base returns the path of the grid's address.
func (d driver) base() string { return strings.TrimRight(d.at.Path, "/") }

// headers returns the headers for every request to the grid, including websockets.
func (d driver) headers() (http.Header, error) {
	given, err := d.header()
	if err != nil {
		return nil, err
	}
	h := given.Clone()
	if h == nil {
		h = http.Header{}
	}
	if u := d.at.User; u != nil && h.Get("Authorization") == "" {
		password, _ := u.Password()
		r := http.Request{Header: h}
		r.SetBasicAuth(u.Username(), password)
	}
	return h, nil
}

// refusal is WebDriver's error.
type refusal struct {
	Kind    string `json:"error"`
	Message string `json:"message"`
}

// invalidSession is the kind of refusal for an unknown session.
const invalidSession = "invalid session id"

func (r *refusal) Error() string { return r.Message }

// session has the members of New Session's answer that this package uses.
type session struct {
	ID           string `json:"sessionId"`
	Capabilities struct {
		CDP    string `json:"se:cdp"`
		Chrome struct {
			DebuggerAddress string `json:"debuggerAddress"`
		} `json:"goog:chromeOptions"`
	} `json:"capabilities"`
}

func (d driver) newSession(ctx context.Context, args []string, more map[string]any) (s session, err error) {
	want := map[string]any{
		"browserName":             "chrome",
		"goog:chromeOptions":      map[string]any{"args": args},
		"unhandledPromptBehavior": "ignore", // the hub handles dialogs
	}
	maps.Copy(want, more)
	err = d.ask(ctx, http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": want}},
		&s)
	if err == nil && (s.ID == "" || strings.ContainsAny(s.ID, "/?#%")) {
		err = errors.New("it answered, but not with a session; is it a Selenium Grid 4?")
	}
	return s, err
}

// alive sends a command that changes nothing, but that the grid passes to the browser, because the grid itself doesn't
// notice the browser's end.
func (d driver) alive(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	return d.ask(ctx, http.MethodGet, "/session/"+id+"/window/handles", nil, nil)
}

func (d driver) end(ctx context.Context, id string) error {
	err := d.ask(ctx, http.MethodDelete, "/session/"+id, nil, nil)
	if refused, ok := errors.AsType[*refusal](err); ok && refused.Kind == invalidSession {
		return nil
	}
	return err
}

// sessionTimeout returns the shortest idle time that any node allows a session; 0 if no node reports one.
func (d driver) sessionTimeout(ctx context.Context) (shortest time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	var status struct {
		Nodes []struct {
			SessionTimeout int64 `json:"sessionTimeout"` // milliseconds
		} `json:"nodes"`
	}
	err = d.ask(ctx, http.MethodGet, "/status", nil, &status)
	for _, n := range status.Nodes {
		if took := time.Duration(n.SessionTimeout) * time.Millisecond; took > 0 && (shortest == 0 || took < shortest) {
			shortest = took
		}
	}
	return shortest, err
}

// queue is the load of a grid.
type queue struct{ MaxSession, SessionCount, SessionQueueSize int }

func (d driver) queue(ctx context.Context) (queue, error) {
	ctx, cancel := context.WithTimeout(ctx, maxAnswer)
	defer cancel()
	var answer struct {
		Data struct {
			Grid *queue `json:"grid"`
		} `json:"data"`
	}
	raw, err := d.send(ctx, http.MethodPost, "/graphql", map[string]string{"query": "{ grid { maxSession, " +
		"sessionCount, sessionQueueSize } }"})
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err == nil && answer.Data.Grid == nil {
		err = errors.New("it doesn't say how it stands")
	}
	if err != nil {
		return queue{}, err
	}
	return *answer.Data.Grid, nil
}

// ask sends one command and decodes the value of its answer.
func (d driver) ask(ctx context.Context, method, path string, body, value any) error {
	raw, err := d.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	var answer struct{ Value json.RawMessage }
	if err = json.Unmarshal(raw, &answer); err == nil && value != nil {
		err = json.Unmarshal(answer.Value, value)
	}
	if err != nil {
		return errors.New("its answer can't be read; is it a Selenium Grid 4?")
	}
	return nil
}

// send sends one request, and returns the body of a successful answer.
func (d driver) send(ctx context.Context, method, path string, body any) ([]byte, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(text)
	}
	u := *d.at
	u.User, u.Path, u.RawPath = nil, d.base()+path, ""
	r, err := http.NewRequestWithContext(ctx, method, u.String(), sent)
	if err != nil {
		return nil, errors.New("its address can't be asked")
	}
	header, err := d.headers()
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	r.Header.Set("Content-Type", "application/json; charset=utf-8") // a Grid requires utf-8
	answer, err := d.client.Do(r)
	if err != nil {
		if with, ok := errors.AsType[*url.Error](err); ok { // err contains the address
			err = with.Err
		}
		return nil, err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxBody:
		return nil, fmt.Errorf("its answer is longer than %d MiB", maxBody>>20)
	case answer.StatusCode != http.StatusOK:
		return nil, d.refused(answer, raw, header)
	}
	return raw, nil
}

// refused returns the error for an unsuccessful answer.
func (d driver) refused(answer *http.Response, raw []byte, header http.Header) error {
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fmt.Errorf("it refused the request (%d); give its user and password in the URL of --grid, or a header by "+
			"--grid-header", code)
	case code >= 300 && code < 400:
		return fmt.Errorf("it has moved (%d); give --grid its new address", code)
	}
	var body struct{ Value refusal }
	if json.Unmarshal(raw, &body) != nil || body.Value.Kind == "" {
		return fmt.Errorf("it answered %d, but not as WebDriver does; is it a Selenium Grid 4?", answer.StatusCode)
	}
	first, _, _ := strings.Cut(body.Value.Message, "\n")
	first = strings.ToValidUTF8(first[:min(len(first), maxErrorText)], "")
	message := cdpclient.ErrorText(first, d.at.String(), header)
	if kind := cdpclient.ErrorText(body.Value.Kind[:min(len(body.Value.Kind), 60)], d.at.String(), header); kind != "" {
		message = strings.TrimRight(kind+": "+message, ": ")
	}
	if message == "" {
		message = fmt.Sprintf("it answered %d", answer.StatusCode)
	}
	return &refusal{body.Value.Kind, message}
}
