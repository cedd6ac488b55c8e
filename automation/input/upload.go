package input

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"time"

	"webmcphub/automation/page"
	"webmcphub/cdpclient"
)

// wants is what the helper reports about a file input.
type wants struct {
	State     State    `json:"state"`
	By        string   `json:"by"`
	Multiple  bool     `json:"multiple"`
	Directory bool     `json:"directory"`
	Accept    string   `json:"accept"`
	Refused   []string `json:"refused"`
}

// Upload gives files to a file input, or to the file input for which an element stands: the element is its label,
// contains it, or is a button that opens the browser's file chooser. The paths are absolute, and the caller has
// checked that they may be read. The Outcome's Value is what the input then holds.
func (t *Tab) Upload(ctx context.Context, n Node, paths []string, l Limits) (*Outcome, error) {
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			return nil, fmt.Errorf("%s: the path must be absolute", p)
		}
		if info, err := os.Stat(p); err != nil {
			return nil, fmt.Errorf("the file cannot be uploaded: %w", err)
		} else if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder, and folders cannot be uploaded", p)
		}
	}
	return t.onElement(ctx, n, l, func(ctx context.Context, e *element) (*Outcome, error) {
		var object struct{ Result cdpclient.RemoteObject }
		err := t.page.Send(ctx, e.frame.Session, cdpclient.RuntimeCallFunctionOn, map[string]any{
			"objectId": e.object, "functionDeclaration": "function () { return " +
				"globalThis.__webmcpHubAct.fileInput(this) }",
		}).Wait(ctx, &object)
		if err != nil {
			return nil, e.explain(err)
		}
		if object.Result.ObjectID != "" {
			defer t.page.Release(e.Frame, object.Result.ObjectID)
			return t.give(ctx, e, e.frame.Session, object.Result.ObjectID, paths, l)
		}
		return t.chooseFiles(ctx, e, paths, l)
	})
}

// give puts files into an element that is known to be a file input; for other elements, Chrome kills the page. It
// waits for an input that is disabled.
func (t *Tab) give(ctx context.Context, e *element, in cdpclient.SessionID, input string, paths []string,
	l Limits) (*Outcome, error) {
	type file struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	files := make([]file, len(paths))
	for i, p := range paths {
		kind, _, _ := strings.Cut(mime.TypeByExtension(filepath.Ext(p)), ";")
		files[i] = file{filepath.Base(p), kind}
	}
	var is wants
	handed := false
	err := t.lead(ctx, e, l.ready(), func(Decision) (Observation, error) {
		is = wants{}
		if err := t.ask(ctx, in, input, "wants", files)(&is); err != nil || is.State == Disabled {
			return Observation{State: is.State, By: is.By}, err
		}
		return Observation{State: Ready}, is.check(e, len(paths))
	}, func() (o Observation, err error) {
		handed, err = t.hand(ctx, in, input, paths)
		return Observation{State: Arrived}, err
	})
	out, err := (&Outcome{Delivered: handed}).unless(e.explain(err))
	if err != nil || out.Dialog != nil {
		return out, err
	}
	var holds struct {
		State State
		Files []string
	}
	err = t.ask(ctx, in, input, "holds")(&holds)
	if out.Dialog = opened(err); out.Dialog != nil {
		return out, nil
	}
	if err != nil {
		out.Note = "The page went on before it could be asked which files it holds."
		return out, nil
	}
	out.Value = strings.Join(holds.Files, ", ")
	if len(holds.Files) == 0 && len(paths) > 0 {
		out.Note = "The page took the files out of the field at once, as pages do that upload them themselves."
	}
	return out, nil
}

// hand makes Chrome put files into an input. If the error is that a dialog opened, the files may have been handed over
// nevertheless.
func (t *Tab) hand(ctx context.Context, in cdpclient.SessionID, input string, paths []string) (handed bool, err error) {
	if len(paths) == 0 { // Chrome's command ignores an empty list
		err = t.ask(ctx, in, input, "empty")(nil)
	} else {
		err = t.page.Send(ctx, in, "DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": input}).Wait(ctx,
			nil)
	}
	return went(err), err
}

// check returns an error if an input doesn't take so many files.
func (w wants) check(e *element, files int) error {
	switch {
	case w.State == "nofile":
		return fmt.Errorf("%s takes no files: it is %s", e, w.By)
	case w.State != Ready:
		return &NotActionable{What: e.String(), State: w.State, By: w.By}
	case w.Directory && files > 0:
		return fmt.Errorf("%s takes a folder, and folders cannot be uploaded: only the user can choose one there", e)
	case files > 1 && !w.Multiple:
		return fmt.Errorf("%s takes one file only, not %d", e, files)
	case len(w.Refused) > 0:
		return fmt.Errorf("%s accepts %s, and not %s", e, w.Accept, strings.Join(w.Refused, ", "))
	}
	return nil
}

// chooserWait is how long a page may take to open the file chooser after its button was clicked.
const chooserWait = 3 * time.Second

// chooseFiles clicks a button that opens the browser's file chooser, and answers the chooser. Chrome passes choosers
// to the hub only around that click. At other times the user's choosers open as usual.
func (t *Tab) chooseFiles(ctx context.Context, e *element, paths []string, l Limits) (*Outcome, error) {
	opened, cancel := t.page.Next("Page.fileChooserOpened")
	defer cancel()
	sessions := t.page.Sessions()
	intercept := func(on bool) (err error) {
		anyway := page.DespiteDialog(context.Background())
		for _, s := range sessions {
			sent := t.page.Send(anyway, s, "Page.setInterceptFileChooserDialog", map[string]any{"enabled": on})
			if on {
				err = errors.Join(err, sent.Wait(ctx, nil))
			}
		}
		return err
	}
	defer intercept(false)
	if err := intercept(true); err != nil {
		return nil, err
	}
	out, err := t.click(ctx, e, ClickOptions{Button: Left, Clicks: 1, Limits: l})
	if err != nil || out.Dialog != nil {
		return out, err
	}
	wait, stop := context.WithTimeout(ctx, chooserWait)
	defer stop()
	select {
	case ev := <-opened:
		var c struct {
			FrameID       string
			BackendNodeID int
		}
		if json.Unmarshal(ev.Params, &c) != nil || c.BackendNodeID == 0 {
			return nil, fmt.Errorf("%s opens a chooser of the page's own making (showOpenFilePicker), which only the "+
				"user can answer", e)
		}
		return t.answerChooser(ctx, e, ev.Session, c.FrameID, c.BackendNodeID, paths, l)
	case <-t.page.Done():
		return nil, t.page.Err()
	case <-wait.Done():
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s is no file field and opened no file chooser when it was clicked. Give the uid of "+
			"the file field or of the button that opens the chooser", e)
	}
}

func (t *Tab) answerChooser(ctx context.Context, e *element, in cdpclient.SessionID, frame string, backend int,
	paths []string, l Limits) (*Outcome, error) {
	f, there := page.FrameByID(t.page.Frames(), frame)
	if !there {
		return nil, fmt.Errorf("the frame whose chooser %s opened is gone", e)
	}
	object, err := t.page.Resolve(ctx, f.FrameRef, backend)
	if err != nil {
		return nil, err
	}
	defer t.page.Release(f.FrameRef, object)
	return t.give(ctx, e, in, object, paths, l)
}
