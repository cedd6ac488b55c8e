package page

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"webmcphub/registry/sanitize"
)

// answerMost is how long the browser may take to close a dialog.
const answerMost = 2 * time.Second

// AnswerDialogs answers what dialogs open until ctx ends, and then says which: "accept"
// (also ""), "dismiss", or a text for prompts.
func (p *Page) AnswerDialogs(ctx context.Context, action string) <-chan string {
	said := make(chan string, 1)
	watch := p.Watch()
	go func() {
		defer watch.Close()
		var text strings.Builder
		for seen := 0; ; {
			var newest Dialog
			err := watch.Wait(ctx, func(h Happened) bool {
				if len(h.Dialogs) <= seen {
					return false
				}
				newest = h.Dialogs[seen]
				return true
			})
			if err != nil {
				said <- text.String()
				return
			}
			seen++
			prompt := ""
			if action != "accept" && action != "dismiss" {
				prompt = cmp.Or(action, newest.Default)
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerMost)
			_, err = p.HandleDialog(last, action != "dismiss", prompt)
			cancel()
			if err == nil && seen <= 10 {
				fmt.Fprintf(&text, "The script opened a dialog (%s), which was answered: %s\n", newest.Kind, strconv.Quote(sanitize.Text(newest.Message, 300)))
			}
		}
	}()
	return said
}

// StopHanging ends a navigation that was given up before its document came: while one is
// under way to another site, Chrome lets nobody ask the document that is there.
func (w *Watch) StopHanging() {
	for _, n := range w.Seen().Navigations {
		if n.Main && n.Committed {
			return // it is only loading still
		}
	}
	w.p.Post("", "Page.stopLoading", nil)
}
