package automation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/registry/sanitize"
)

const (
	scriptTime  = 30 * time.Second // the time limit of a script, unless the call sets one
	maxScript   = 1 << 20          // bounds a script's file and a result that is saved, in bytes
	shownResult = 20_000           // bounds a script's result in the answer, in bytes; more goes to a file
)

type scriptArguments struct {
	Function   string   `json:"function" is:"Such as (el) => el.innerText; it may be async"`
	SourcePath string   `json:"sourcePath" is:"File with the function"`
	Format     string   `json:"format" among:"function,script" is:"script: run as statements"`
	Args       []string `json:"args" is:"uids of elements to pass"`
	Frame      string   `json:"frame" is:"Part of a frame's address"`
	Dialogs    string   `json:"dialogAction" is:"accept (default), dismiss, or a prompt's answer"`
	timeoutArgument
	fileArgument
	pageArguments
	StableDom bool `json:"waitForStableDom" as:"unlisted"`
	workerArguments
}

// workerArguments name the service worker of an extension.
type workerArguments struct {
	ServiceWorkerID string `json:"serviceWorkerId" as:"unlisted"`
}

func (a workerArguments) refusal() error {
	if a.ServiceWorkerID == "" {
		return nil
	}
	return errors.New("serviceWorkerId can't be given here: these tools reach web pages only, and extensions are " +
		"the user's own. chrome-devtools-mcp with --category-extensions reaches their service workers")
}

func (r *Request) evaluateScript(ctx context.Context, a scriptArguments) (*Result, error) {
	if err := a.refusal(); err != nil {
		return nil, err
	}
	p, err := r.page(ctx, a.PageID)
	if err != nil {
		return nil, err
	}
	if d, open := p.Dialog(); open { // the dialog was open before the script and would keep it from running
		return nil, &page.DialogOpen{Dialog: d}
	}
	if (a.Function == "") == (a.SourcePath == "") {
		return nil, errors.New("give either function or sourcePath")
	}
	if a.SourcePath != "" {
		if a.Function, err = r.folders(ctx).ReadText(a.SourcePath, maxScript); err != nil {
			return nil, err
		}
	}
	frame, args, err := r.scriptFrame(ctx, p, a)
	if err != nil {
		return nil, err
	}
	var got page.ScriptResult
	answered := ""
	began, err := p.input.Effects(ctx, frame.ID, func() (err error) {
		got, answered, err = r.runScript(ctx, p, a,
			page.Script{Frame: frame, Script: a.Function, Args: args, Limit: shownResult})
		return err
	})
	if err != nil {
		if thrown := new(page.ScriptError); errors.As(err, &thrown) {
			err = fmt.Errorf("the script failed: %s", sanitize.Text(thrown.Text, 4000))
		}
		return &Result{Text: answered}, err
	}
	restless := ""
	if a.StableDom && began.Dialog == nil {
		restless = r.awaitStableDOM(ctx, p)
	}
	result, err := r.scriptResult(ctx, a, got, answered)
	if err == nil {
		lines := append([]string{result.Text}, r.outcome(ctx, p, began)...)
		if restless != "" {
			lines = append(lines, restless)
		}
		result.Text = strings.Join(lines, "\n")
	}
	return result, err
}

// A page's DOM is stable if it hasn't changed for stableFor. awaitStableDOM waits at most stableWithin for that.
const (
	stableFor    = 100 * time.Millisecond
	stableWithin = 3 * time.Second
)

// stable is a function that says whether the document becomes stable in time.
const stable = `(still, most) => new Promise((done) => {
	let timer;
	const end = (rested) => { observer.disconnect(); clearTimeout(timer); clearTimeout(last); done(rested); };
	const again = () => { clearTimeout(timer); timer = setTimeout(end, still, true); };
	const observer = new MutationObserver(again);
	const last = setTimeout(end, most, false);
	observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
	again();
})`

// awaitStableDOM waits until the page's DOM is stable. If it gives up, it returns the reason; otherwise "".
func (r *Request) awaitStableDOM(ctx context.Context, p *opened) string {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*stableWithin, errors.New("the page did not answer"))
	defer cancel()
	rested := false
	main, err := p.AwaitMain(ctx)
	if err == nil {
		err = r.judged.AuthorizeDocument(ctx, p.Page, main.FrameRef)
	}
	if err == nil {
		err = p.Evaluate(ctx, main.FrameRef, page.Bare, stable,
			[]any{stableFor.Milliseconds(), stableWithin.Milliseconds()}, &rested)
	}
	switch {
	case err != nil:
		return fmt.Sprintf("Whether the DOM has become stable is not known: %v.", r.sayable(ctx, err))
	case !rested:
		return fmt.Sprintf("The DOM still changed %v after the script.", stableWithin)
	}
	return ""
}

// runScript runs a script within its time limit. answered describes the dialogs that the script opened.
func (r *Request) runScript(ctx context.Context, p *opened, a scriptArguments,
	script page.Script) (got page.ScriptResult, answered string, err error) {
	limit := r.limit(a.Timeout, scriptTime)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the script has not ended within %v", limit))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	dialogs := p.AnswerDialogs(ctx, a.Dialogs, func(d page.Dialog) (description string, answer bool) {
		if d.During { // an action may have opened it, and its answer describes it
			return "", false
		}
		why := r.judged.AnswersDialog(ctx, p.Page, d, script.Frame)
		if why != nil {
			end(fmt.Errorf("a dialog (%s) opened that is not answered for a script: %w", d.Kind, why))
		}
		return r.dialogText(ctx, d), why == nil
	})
	if a.FilePath != "" {
		script.Limit = maxScript
	}
	got, err = page.Evaluate(page.DespiteDialog(ctx), p.Page, script)
	end(nil)
	return got, <-dialogs, err
}

// scriptResult makes the text about what a script returned, or where that was saved.
func (r *Request) scriptResult(ctx context.Context, a scriptArguments, got page.ScriptResult,
	answered string) (*Result, error) {
	if a.FilePath != "" {
		saved, err := r.folders(context.WithoutCancel(ctx)).SaveText(a.FilePath, ".json", string(got.JSON))
		if err != nil {
			return nil, err
		}
		if got.Cut {
			return resultf("%sThe result is longer than %d bytes, the most that is saved: %s has the beginning of "+
				"its JSON, as a string. Have the script return less at a time.", answered, maxScript, saved), nil
		}
		return resultf("%sThe result was saved to %s (%d bytes).", answered, saved, len(got.JSON)), nil
	}
	text := string(got.JSON)
	if got.Cut {
		return resultf("%sThe result is longer than %d bytes; filePath saves more. It begins:\n%s", answered,
			shownResult, text), nil
	}
	result := resultf("%s%s", answered, cmp.Or(text, "undefined"))
	if json.Valid(got.JSON) {
		result.Structured = struct {
			Result json.RawMessage `json:"result"`
		}{got.JSON}
	}
	return result, nil
}

// scriptFrame returns the document in which a script is to run, and the script's arguments. If there are elements
// among the arguments, it is their document.
func (r *Request) scriptFrame(ctx context.Context, p *opened,
	a scriptArguments) (frame page.FrameRef, args []any, err error) {
	for _, uid := range a.Args {
		node, err := r.node(ctx, p, uid)
		if err != nil {
			return frame, nil, err
		}
		if len(args) > 0 && node.Frame != frame {
			return frame, nil, fmt.Errorf("the elements of args are in different frames; a script sees one")
		}
		frame, args = node.Frame, append(args, page.NodeArgument{BackendNode: node.Backend})
	}
	switch {
	case a.Frame != "" && len(args) > 0:
		return frame, nil, errors.New("give frame or args: the elements of args are in a frame already")
	case a.Frame != "":
		frame, err = r.frame(ctx, p, a.Frame)
		return frame, nil, err
	case len(args) > 0:
		return frame, args, nil
	}
	main, err := p.AwaitMain(ctx)
	if err == nil {
		err = r.judged.AuthorizeDocument(ctx, p.Page, main.FrameRef)
	}
	return main.FrameRef, nil, err
}

// frame returns the frame whose address contains the given text.
func (r *Request) frame(ctx context.Context, p *opened, named string) (page.FrameRef, error) {
	found, err := p.FrameAt(ctx, named)
	if err != nil {
		return page.FrameRef{}, err
	}
	return found, r.judged.AuthorizeDocument(ctx, p.Page, found)
}
