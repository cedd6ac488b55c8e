package page

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
)

// answerMost is how long the browser may take to close a dialog.
const answerMost = 2 * time.Second

// AnswerDialogs answers the dialogs that open until ctx ends, as far as may says that it may,
// and then says which, in the words that may gives: "accept" (also ""), "dismiss", or a text for
// prompts. may is called in a goroutine of its own.
func (p *Page) AnswerDialogs(ctx context.Context, action string, may func(Dialog) (told string, answer bool)) <-chan string {
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
			told, ok := may(newest)
			if !ok {
				continue
			}
			prompt := ""
			if action != "accept" && action != "dismiss" {
				prompt = cmp.Or(action, newest.Default)
			}
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerMost)
			_, err = p.HandleDialog(last, newest.Number, action != "dismiss", prompt)
			cancel()
			if err == nil && seen <= 10 {
				fmt.Fprintf(&text, "The script opened a dialog (%s), which was answered: %s\n", newest.Kind, told)
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
