package automation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"webmcphub/automation/trace/record"
	"webmcphub/registry"
	"webmcphub/registry/names"
)

// errNoTrace is the error for pages that are reached by their browser's extension. Chrome leaves the browser's own
// process out of an extension's traces. So a trace has no navigations, and doesn't say which frames are the page's.
var errNoTrace = errors.New("the page is reached by its browser's extension, in whose traces Chrome leaves out " +
	"navigations and which frames are the page's; a debugging port has it all (--browser-url, --auto-connect or --launch)")

type startArguments struct {
	Reload      *bool  `json:"reload" is:"Default: true"`
	AutoStop    *bool  `json:"autoStop" is:"Stop when the page is quiet. Default: true"`
	IgnoreCache bool   `json:"ignoreCache"`
	FilePath    string `json:"filePath" is:"Save the trace: .json or .json.gz"`
	pageArguments
}

func (r *Request) startTrace(ctx context.Context, a startArguments) (*Result, error) {
	reload, autoStop := a.Reload == nil || *a.Reload, a.AutoStop == nil || *a.AutoStop
	if r.anonymous && !autoStop {
		return nil, errors.New("this connection has no session in which a later call could end the trace. Leave out " +
			"autoStop, so that it ends by itself")
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	switch ported, err := r.service.options.Browser.Debuggable(p.tab.id); {
	case err != nil:
		return nil, err
	case !ported:
		return nil, errNoTrace
	}
	access, err := r.service.options.Browser.Debug(p.tab.id)
	if err != nil {
		return nil, err
	}
	place, err := r.service.performance.Reserve(r.Client.ID, r.Name, r.traceOf(p.tab.id))
	if err != nil {
		return nil, err
	}
	kept := false
	defer func() {
		if !kept {
			place.Free()
		}
	}()
	r.Progress("recording a trace")
	recording, err := place.Start(ctx, p.Page, record.Options{Reload: reload, IgnoreCache: a.IgnoreCache})
	if err != nil {
		return nil, err
	}
	is := &record.Running{Recording: recording, Page: string(p.tab.id), Rules: p.rules,
		Traces: r.service.performance.Traces(access.Conn)}
	if !autoStop {
		if kept = place.Begin(is); !kept {
			recording.Abandon()
			return nil, errors.New("the client is gone")
		}
		return resultf("The trace is being recorded. performance_stop_trace ends it and says what it tells."), nil
	}
	if err := recording.Quiet(ctx); err != nil {
		recording.Abandon()
		return nil, err
	}
	return r.finish(ctx, is, a.FilePath)
}

type stopArguments struct {
	FilePath string `json:"filePath" is:"As in start"`
	pageArguments
}

func (r *Request) stopTrace(ctx context.Context, a stopArguments) (*Result, error) {
	if a.PageID != nil { // the argument is accepted, though a client has only one recording
		if _, _, err := r.target(ctx, a.PageID); err != nil {
			return nil, err
		}
	} else if err := r.judged.AuthorizeCall(ctx, nil); err != nil {
		return nil, err
	}
	is, place := r.service.performance.Take(r.Client.ID)
	if is == nil {
		return nil, errors.New("you are recording no trace; performance_start_trace with autoStop false begins one")
	}
	defer place.Free()
	if t := r.Current().Tab(registry.PageID(is.Page)); t != nil && r.service.forbidden(t) != "" {
		is.Abandon()
		return nil, errors.New("the trace was dropped: its page is now at a site that is kept out by the user's " +
			"rules (--allow-origin, --deny-origin, --browsers)")
	}
	return r.finish(ctx, is, a.FilePath)
}

type insightArguments struct {
	Set     string `json:"insightSetId" as:"required"`
	Insight string `json:"insightName" as:"required"`
	Trace   string `json:"trace" is:"Default: last"`
	pageArguments
}

func (r *Request) analyzeInsight(ctx context.Context, p *opened, a insightArguments) (*Result, error) {
	access, err := r.service.options.Browser.Debug(p.tab.id)
	if err != nil {
		return nil, err
	}
	text, err := r.service.performance.Traces(access.Conn).Insight(ctx, r.who(p.rules), a.Trace, a.Set, a.Insight)
	if err != nil {
		return nil, err
	}
	return &Result{Text: secrets.Text(text)}, nil
}

// traceOf names the trace of a page's browser.
func (r *Request) traceOf(page registry.PageID) string {
	const trace = "the browser's performance trace"
	if t := r.Current().Tab(page); t != nil && t.Browser != "" {
		return trace + " (" + t.Browser + ")"
	}
	return trace
}

// who describes the client for traces of a browser with these rules.
func (r *Request) who(rules *names.Origins) record.Who {
	return record.Who{ID: r.Client.ID, Name: r.Name, Alone: r.anonymous, Permits: func(address string) bool {
		return rules.Permits(address) &&
			r.judged.CheckOrigins(context.Background(),
				cmp.Or(names.DocumentOrigin("", address), names.OpaqueOrigin)) == nil
	}}
}

// finish stops a recording and reports what its trace shows.
func (r *Request) finish(ctx context.Context, is *record.Running, path string) (*Result, error) {
	file, err := is.Stop(ctx)
	if err != nil {
		return nil, fmt.Errorf("the trace is lost: %w", err)
	}
	defer func() { _ = os.Remove(file.Path) }()
	result := &Result{}
	if path != "" {
		if result.Text, err = r.saveTrace(ctx, is.Rules, file, path); err != nil {
			result.Text = fmt.Sprintf("The trace was not saved: %v\n", err)
		}
	}
	r.Progress("reading the trace")
	item, err := is.Traces.Add(ctx, file, r.who(is.Rules))
	if err != nil {
		return result, err
	}
	result.Text += secrets.Text(item.Text())
	return result, nil
}

// saveTrace saves a trace, if the answer may contain data of all sites that the trace names.
func (r *Request) saveTrace(ctx context.Context, rules *names.Origins, file *record.File, path string) (string, error) {
	if rules != nil {
		return "", errors.New("it records all tabs of the browser, also those that the user's rules for sites " +
			"(--allow-origin, --deny-origin, --browsers) keep out")
	}
	var sees func(origins []string) error
	if r.judged.Judge != nil {
		sees = func(origins []string) error { return r.judged.SeesAll(ctx, origins) }
	}
	saved, err := record.Save(ctx, file, path, sees, r.folders(ctx).Save)
	return fmt.Sprintf("The trace was saved to %s.\n", saved), err
}
