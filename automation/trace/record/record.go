package record

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// categories are those that the report and the engine's insights about loading need. Sampled stacks, screenshots and
// sources of scripts would make traces twenty times as long.
var categories = []string{
	"devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "blink.user_timing",
	"disabled-by-default-lighthouse", "navigation", "v8.execute",
}

const (
	bufferKB    = 200_000          // the size of Chrome's buffer for a trace
	loadMost    = 30 * time.Second // how long a page may take to load
	quietMost   = 5 * time.Second  // how long after the load the network may take to become quiet
	stopMost    = 60 * time.Second // how long Chrome may take to hand over a trace
	abandonMost = 20 * time.Second // how long Chrome may take to end a trace; it asks all its processes
	maxFile     = 1 << 30          // bounds a compressed trace, in bytes
)

// Options are the options of performance_start_trace.
type Options struct {
	Reload      bool // load the page again, from an empty one
	IgnoreCache bool // with Reload, ignore the browser's cache
}

// Recording is a trace that is being recorded.
type Recording struct {
	page     *page.Page
	complete <-chan cdpclient.Event
	cancel   func()
	reloads  bool
	ending   sync.Once
}

// complete has the parameters of Tracing.tracingComplete.
type complete struct {
	DataLossOccurred bool
	Stream           string
}

func completed(e cdpclient.Event) (c complete) {
	_ = json.Unmarshal(e.Params, &c) // without a stream, nothing can be read
	return c
}

// ErrBusy says that somebody else is recording a trace.
var ErrBusy = errors.New("a trace is being recorded in this browser already, by another client or by DevTools; only " +
	"one is possible at a time")

// Start begins to record. With Reload it returns when the page has loaded. If the page doesn't load, that is no
// error, because the trace says more about it. If Start fails or is given up, the page stays at its address and
// nothing is being recorded.
func Start(ctx context.Context, p *page.Page, o Options) (*Recording, error) {
	main, ok := p.Main()
	if !ok {
		return nil, errors.New("the tab has no document at the moment; try again")
	}
	if o.Reload && !strings.HasPrefix(main.URL, "http:") && !strings.HasPrefix(main.URL, "https:") &&
		!strings.HasPrefix(main.URL, "file:") {
		return nil, fmt.Errorf("%s can't be loaded anew; go to a page first, or give reload false", main.URL)
	}
	r := &Recording{page: p, reloads: o.Reload}
	r.complete, r.cancel = p.Next("Tracing.tracingComplete")
	if o.Reload {
		if err := r.navigate(ctx, "about:blank"); err != nil {
			r.back(ctx, main.URL)
			r.cancel()
			return nil, err
		}
	}
	if err := r.start(ctx); err != nil {
		if o.Reload {
			r.back(ctx, main.URL)
		}
		r.cancel()
		return nil, err
	}
	if o.Reload {
		if err := r.reload(ctx, main.URL, o.IgnoreCache); err != nil {
			r.abandon()
			if now, _ := p.Main(); now.URL == "about:blank" {
				r.back(ctx, main.URL)
			}
			r.cancel()
			return nil, err
		}
	}
	return r, nil
}

// start makes Chrome begin. It waits for Chrome's answer even if ctx ends meanwhile. Chrome asks all its processes
// first, and a Tracing.end before they have answered has no effect.
func (r *Recording) start(ctx context.Context) error {
	patient, cancel := context.WithTimeout(page.DespiteDialog(context.WithoutCancel(ctx)), abandonMost)
	defer cancel()
	err := r.page.Call(patient, "", "Tracing.start", map[string]any{
		"transferMode": "ReturnAsStream", "streamCompression": "gzip", "streamFormat": "json",
		"traceConfig": map[string]any{"excludedCategories": []string{"*"}, "includedCategories": categories,
			"traceBufferSizeInKb": bufferKB},
	}, nil)
	if refused := (*cdpclient.Error)(nil); errors.As(err, &refused) {
		if strings.Contains(refused.Message, "already") {
			return ErrBusy
		}
		return err
	}
	select {
	case <-r.complete: // the end of an earlier recording on this tab
	default:
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.abandon()
	}
	return err
}

// back returns to the page that was left in order to load it again, even if ctx has ended. It waits until the page
// has loaded only if somebody waits.
func (r *Recording) back(ctx context.Context, url string) {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadMost)
	defer cancel()
	var to cdpclient.NavigateResult
	if r.page.Call(patient, "", cdpclient.PageNavigate, map[string]any{"url": url}, &to) == nil {
		_ = r.page.WaitLoad(patient, to.LoaderID, page.Committed)
		_ = r.wait(ctx, to.LoaderID, page.Loaded, loadMost)
	}
}

func (r *Recording) reload(ctx context.Context, url string, ignoreCache bool) error {
	if ignoreCache {
		if err := r.page.Call(ctx, "", "Network.setCacheDisabled", map[string]any{"cacheDisabled": true},
			nil); err != nil {
			return err
		}
		defer func() {
			r.page.Post("", "Network.setCacheDisabled", map[string]any{"cacheDisabled": false}) // a page that hangs doesn't answer
		}()
	}
	return r.navigate(ctx, url)
}

// navigate goes to an address and waits until its document has loaded, for loadMost at most.
func (r *Recording) navigate(ctx context.Context, url string) error {
	var to cdpclient.NavigateResult
	if err := r.page.Call(ctx, "", cdpclient.PageNavigate, map[string]any{"url": url}, &to); err != nil {
		return err
	}
	if to.ErrorText != "" {
		return fmt.Errorf("load %s: %s", url, to.ErrorText)
	}
	return r.wait(ctx, to.LoaderID, page.Loaded, loadMost)
}

// wait waits until a document has reached a milestone, for most at most. A timeout is no error, and neither is a
// navigation that brought no document.
func (r *Recording) wait(ctx context.Context, loader string, until page.Milestone, most time.Duration) error {
	in, cancel := context.WithTimeout(page.DespiteDialog(ctx), most)
	defer cancel()
	if err := r.page.WaitLoad(in, loader, until); ctx.Err() != nil || r.page.Err() != nil {
		return err
	}
	return nil
}

// Quiet waits until the page that was loaded again has a quiet network, for quietMost at most. A page that wasn't
// loaded again may be quiet already, so it is recorded for quietMost.
func (r *Recording) Quiet(ctx context.Context) error {
	if main, ok := r.page.Main(); ok && r.reloads {
		return r.wait(ctx, main.Loader, page.NetworkIdle, quietMost)
	}
	return r.page.Pause(ctx, quietMost)
}

// Abandon ends a recording without keeping it. It waits a little for Chrome to end it, so that the next recording can
// begin.
func (r *Recording) Abandon() {
	defer r.cancel()
	r.abandon()
}

func (r *Recording) abandon() {
	ctx, cancel := context.WithTimeout(page.DespiteDialog(context.Background()), abandonMost)
	defer cancel()
	if r.end(ctx) != nil {
		return
	}
	select {
	case e := <-r.complete: // Chrome keeps the stream until that is closed
		_ = r.page.Call(ctx, "", "IO.close", map[string]any{"handle": completed(e).Stream}, nil)
	case <-ctx.Done():
	case <-r.page.Done():
	}
}

// end sends Tracing.end once, even if ctx has ended. A second Tracing.end would take the trace's stream away from the
// first.
func (r *Recording) end(ctx context.Context) (err error) {
	r.ending.Do(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonMost)
		defer cancel()
		err = r.page.Call(ctx, "", "Tracing.end", nil, nil)
	})
	return err
}

// File is a trace in a temporary file, compressed by gzip.
type File struct {
	Path  string
	Bytes int64
	Lost  bool // Chrome has lost data
}

// Stop ends the recording and writes the trace to a file. The caller removes the file.
func (r *Recording) Stop(ctx context.Context) (*File, error) {
	defer r.cancel()
	ctx, cancel := context.WithTimeoutCause(page.DespiteDialog(ctx), stopMost, fmt.Errorf("the trace wasn't handed "+
		"over by Chrome within %s", stopMost))
	defer cancel()
	if err := r.end(ctx); err != nil {
		return nil, err
	}
	select {
	case e := <-r.complete:
		return r.read(ctx, completed(e))
	case <-ctx.Done():
		err := context.Cause(ctx)
		r.Abandon()
		return nil, err
	case <-r.page.Done():
		return nil, r.page.Err()
	}
}

// read writes Chrome's stream to a file.
func (r *Recording) read(ctx context.Context, c complete) (_ *File, err error) {
	out, err := os.CreateTemp("", "webmcp-hub-trace-*.json.gz")
	if err != nil {
		return nil, err
	}
	f := &File{Path: out.Name(), Lost: c.DataLossOccurred}
	defer func() {
		err = errors.Join(err, out.Close())
		r.page.Post("", "IO.close", map[string]any{"handle": c.Stream})
		if err != nil {
			_ = os.Remove(f.Path)
		}
	}()
	for f.Bytes < maxFile {
		var part struct {
			Data          string
			Base64Encoded bool
			EOF           bool
		}
		if err := r.page.Call(ctx, "", "IO.read", map[string]any{"handle": c.Stream, "size": 1 << 20},
			&part); err != nil {
			return nil, err
		}
		var data io.Reader = strings.NewReader(part.Data)
		if part.Base64Encoded {
			data = base64.NewDecoder(base64.StdEncoding, data)
		}
		n, err := io.Copy(out, data)
		if err != nil {
			return nil, err
		}
		f.Bytes += n
		if part.EOF {
			return f, nil
		}
	}
	f.Lost = true
	return f, nil
}
