package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"webmcphub/cluster/leases"
)

// BrowsersPath is where browsers are acquired and released over HTTP.
const BrowsersPath = "/browsers"

const (
	maxRequest = 64 << 10         // bytes
	writeLimit = 30 * time.Second // how long a client may take to read its answer
)

// browsers answers a POST as acquire_browser does, and a DELETE as release_browser does. req's context ends when the
// client is gone or its token is revoked.
func (r *tenantServer) browsers(w http.ResponseWriter, req *http.Request) {
	handle, named := strings.CutPrefix(req.URL.EscapedPath(), BrowsersPath+"/")
	switch {
	case r.options.Store == nil:
		answer(w, http.StatusServiceUnavailable, Refused{Error: "this gateway lends no browsers: it has no etcd",
			Reason: "trouble"})
	case !named && req.Method == http.MethodPost:
		r.give(w, req)
	case named && req.Method == http.MethodDelete:
		r.takeBack(w, req, handle)
	default:
		w.Header().Set("Allow", map[bool]string{true: http.MethodDelete, false: http.MethodPost}[named])
		answer(w, http.StatusMethodNotAllowed, Refused{Error: "POST " + BrowsersPath + " gives a browser, and DELETE " +
			BrowsersPath + "/HANDLE takes it back", Reason: "request"})
	}
}

func (r *tenantServer) give(w http.ResponseWriter, req *http.Request) {
	wanted, err := requestIn(w, req)
	if err != nil {
		answer(w, http.StatusBadRequest, Refused{Error: err.Error(), Reason: "request"})
		return
	}
	ctx := req.Context()
	given, err := r.acquire(ctx, wanted, nil)
	if err != nil {
		r.refuse(w, err)
		return
	}
	if ctx.Err() != nil || answer(w, http.StatusCreated, given) != nil { // the client doesn't get the handle
		r.giveBack(given.Browser)
	}
}

// requestIn reads the request for a browser. Without a body, it is for any browser.
func requestIn(w http.ResponseWriter, req *http.Request) (wanted BrowserRequest, err error) {
	control := http.NewResponseController(w)
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
	if err != nil {
		return wanted, fmt.Errorf("the request did not arrive completely: %w", err)
	}
	_ = control.SetReadDeadline(time.Time{}) // further reads only serve to notice that the client is gone
	if len(body) == 0 {
		return wanted, nil
	}
	if media, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return wanted, errors.New("the Content-Type must be application/json")
	}
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&wanted); err != nil {
		return wanted, fmt.Errorf("the body must be an object with labels (texts), profile (a text) and wait "+
			"(seconds), all optional: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return wanted, errors.New("the body must be one object, with nothing after it")
	}
	return wanted, wanted.check()
}

func (r *tenantServer) takeBack(w http.ResponseWriter, req *http.Request, escaped string) {
	handle, err := url.PathUnescape(escaped)
	if err == nil {
		err = r.options.Store.Release(req.Context(), r.tenant, handle)
	}
	if err != nil {
		r.refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// refuse answers that there is no browser, with the reason and when to try again.
func (r *tenantServer) refuse(w http.ResponseWriter, err error) {
	why := new(leases.Refusal)
	switch {
	case errors.Is(err, leases.ErrNoLease):
		answer(w, http.StatusNotFound, Refused{Error: err.Error(), Reason: "lease"})
		return
	case !errors.As(err, &why): // the request was cancelled, or the gateway is stopping
		answer(w, http.StatusServiceUnavailable, Refused{Error: err.Error(), Reason: string(leases.Unreachable)})
		return
	}
	status := http.StatusServiceUnavailable
	switch why.Reason {
	case leases.QueueFull:
		status = http.StatusTooManyRequests
	case leases.OverQuota, leases.NoSuchLabels:
		status = http.StatusConflict
	case leases.NoTenant:
		status = http.StatusForbidden
	case leases.TooLarge:
		status = http.StatusBadRequest
	}
	if why.After > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(why.After.Seconds()))))
	}
	answer(w, status, r.refused(why))
}

// answer sends JSON. It returns an error if the client is gone.
func answer(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(writeLimit))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	if _, err := w.Write(append(text, '\n')); err != nil {
		return err
	}
	return control.Flush()
}
