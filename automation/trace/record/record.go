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

// categories are what the report and the engine's insights on loading need. Those of
// sampled stacks, screenshots and scripts' sources make traces twenty times as long.
var categories = []string{
	"devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "blink.user_timing",
	"disabled-by-default-lighthouse", "navigation", "v8.execute",
}

const (
	bufferKB    = 200_000          // of Chrome's buffer for a trace
	loadMost    = 30 * time.Second // for a page to load
	quietMost   = 5 * time.Second  // from the load until the network is quiet
	stopMost    = 60 * time.Second // for Chrome to hand over a trace
	abandonMost = 20 * time.Second // for Chrome to end one that nobody wants; it asks all its processes
	maxFile     = 1 << 30          // bytes of a compressed trace
)

// Options are those of performance_start_trace.
type Options struct {
	Reload      bool // load the page anew, from an empty one
	IgnoreCache bool // with Reload: as if the browser's cache were empty
}

// Recording is a trace being made.
type Recording struct {
	page     *page.Page
	complete chan complete // of capacity 1
	cancel   func()
	loaded   *loads
	ending   sync.Once
}

// complete is what Chrome says at a trace's end.
type complete struct {
	DataLossOccurred bool
	Stream           string
}

// ErrBusy says that somebody else is tracing.
var ErrBusy = errors.New("a trace is being recorded in this browser already, by another client or by DevTools; only " +
	"one is possible at a time")

// Start begins to record. With Reload it returns when the page has loaded; a page that
// doesn't is no error, as the trace says more about it. A start that fails or is given up
// leaves the page at its address, and nothing being recorded.
func Start(ctx context.Context, p *page.Page, o Options) (*Recording, error) {
	main, ok := p.Main()
	if !ok {
		return nil, errors.New("the tab has no document at the moment; try again")
	}
	if o.Reload && !strings.HasPrefix(main.URL, "http:") && !strings.HasPrefix(main.URL, "https:") &&
		!strings.HasPrefix(main.URL, "file:") {
		return nil, fmt.Errorf("%s can't be loaded anew; go to a page first, or give reload false", main.URL)
	}
	r := &Recording{page: p, complete: make(chan complete, 1), loaded: newLoads()}
	unload := p.Subscribe(r.loaded.event, "Page.lifecycleEvent")
	end := p.Subscribe(r.ended, "Tracing.tracingComplete")
	r.cancel = func() { unload(); end() }
	if o.Reload {
		if err := r.navigate(ctx, "about:blank", "load"); err != nil {
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

// start has Chrome begin. It waits for Chrome's answer even if ctx ends meanwhile: Chrome asks all
// its processes first, and an end that comes before they have answered ends nothing.
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
	case <-r.complete: // of an earlier recording on this tab, which had to end before
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

// back goes back to the page that was left to be loaded anew, even if ctx has ended. The page's
// loading is waited for only where somebody waits.
func (r *Recording) back(ctx context.Context, url string) {
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadMost)
	defer cancel()
	var to cdpclient.NavigateResult
	if r.page.Call(patient, "", cdpclient.PageNavigate, map[string]any{"url": url}, &to) == nil {
		_ = r.page.WaitLoad(patient, to.LoaderID, page.Committed)
		_ = r.loaded.wait(ctx, r.page, to.LoaderID, "load", loadMost)
	}
}

func (r *Recording) ended(e cdpclient.Event) {
	var c complete
	if json.Unmarshal(e.Params, &c) == nil {
		select {
		case r.complete <- c:
		default:
		}
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
	return r.navigate(ctx, url, "load")
}

// navigate goes to an address and waits for a moment of its life, loadMost at most.
func (r *Recording) navigate(ctx context.Context, url, moment string) error {
	var to cdpclient.NavigateResult
	if err := r.page.Call(ctx, "", cdpclient.PageNavigate, map[string]any{"url": url}, &to); err != nil {
		return err
	}
	if to.ErrorText != "" {
		return fmt.Errorf("load %s: %s", url, to.ErrorText)
	}
	return r.loaded.wait(ctx, r.page, to.LoaderID, moment, loadMost)
}

// Quiet waits until the page has loaded and its network is quiet, or is taking too
// long to be.
func (r *Recording) Quiet(ctx context.Context) error {
	main, ok := r.page.Main()
	if !ok {
		return nil
	}
	return r.loaded.wait(ctx, r.page, main.Loader, "networkIdle", quietMost)
}

// Abandon ends a recording without keeping it, and waits a little for Chrome to do so,
// so that the next can begin.
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
	case c := <-r.complete: // Chrome keeps the stream until it is closed
		_ = r.page.Call(ctx, "", "IO.close", map[string]any{"handle": c.Stream}, nil)
	case <-ctx.Done():
	case <-r.page.Done():
	}
}

// end tells Chrome once that the recording is over, even if ctx has ended. A second time
// would take the trace's stream away from the first.
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
	Lost  bool // data was lost
}

// Stop ends the recording and takes the trace. The file is the caller's to remove.
func (r *Recording) Stop(ctx context.Context) (*File, error) {
	defer r.cancel()
	ctx, cancel := context.WithTimeoutCause(page.DespiteDialog(ctx), stopMost, fmt.Errorf("the trace wasn't handed "+
		"over by Chrome within %s", stopMost))
	defer cancel()
	if err := r.end(ctx); err != nil {
		return nil, err
	}
	select {
	case c := <-r.complete:
		return r.read(ctx, c)
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
