package registry

import (
	"fmt"
	"webmcphub/registry/sanitize"
)

// The ways in which a call can end without a word from its tool. Each tells
// the agent what happened, what that means for the call, and what to do.

// EndedByNavigation is the result of a call whose page got a new document.
func EndedByNavigation(tool, url string) Result {
	return ended("navigated", fmt.Sprintf("The page navigated to %s while %s ran; whether it took effect is unknown. List the tools again: the page's tools have changed.", sanitize.Text(url, 300), quote(tool)))
}

// EndedByFrame is the result of a call whose iframe was removed or got a new document.
func EndedByFrame(tool string) Result {
	return ended("frame gone", fmt.Sprintf("The frame of %s was removed or navigated while the tool ran; whether it took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByClose is the result of a call whose tab was closed.
func EndedByClose(tool string) Result {
	return ended(sanitize.EndingClosed, fmt.Sprintf("The page of %s was closed; whether the call took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByCrash is the result of a call whose page crashed.
func EndedByCrash(tool string) Result {
	return ended("crashed", fmt.Sprintf("The page crashed while %s ran. It has no tools until it is reloaded.", quote(tool)))
}

// EndedByLoss is the result of a call that lost its Chrome.
func EndedByLoss(tool string) Result {
	return ended(sanitize.EndingLost, fmt.Sprintf("The connection to Chrome was lost while %s ran; whether it took effect is unknown. The tools come back once Chrome is reconnected.", quote(tool)))
}

// EndedByExtension is the result of a call that lost its browser's extension.
func EndedByExtension(tool string) Result {
	return ended(sanitize.EndingLost, fmt.Sprintf("The connection to the browser's extension was lost while %s ran; whether it took effect is unknown. The tools come back once the extension has connected again.", quote(tool)))
}

// EndedByStop is the result of a call that the end of the hub cut short.
func EndedByStop(tool string) Result {
	return ended("stopped", fmt.Sprintf("The hub is stopping, so it no longer waits for %s; whether it took effect is unknown.", quote(tool)))
}

// EndedByFailure is the result of a call that an error of the hub itself cut short.
func EndedByFailure(tool string) Result {
	return ended("failed", fmt.Sprintf("The hub had an internal error while %s ran, and looks at its page anew; whether the call took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByServer is the result of a call whose page's own MCP server stopped.
func EndedByServer(tool string) Result {
	return ended("server stopped", fmt.Sprintf("The page's MCP server stopped while %s ran; whether it took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByTimeout is the result of a call that took longer than allowed; cause
// says how long that is.
func EndedByTimeout(tool, cause string) Result {
	return ended("timeout", fmt.Sprintf("%s did not answer: %s. It was told to stop; whether it took effect is unknown.", quote(tool), cause))
}

// EndedByCancel is the result of a call that its client cancelled.
func EndedByCancel(tool string) Result {
	return ended("cancelled", fmt.Sprintf("The call of %s was cancelled.", quote(tool)))
}

// NotThere is the result of a call whose tool or document is gone before it began.
func NotThere(tool, why string) Result {
	if why == PageNotConnected {
		return endedUnconnected(sanitize.EndingGone, fmt.Sprintf("%s could not be called: %s.", quote(tool), why))
	}
	return ended(sanitize.EndingGone, fmt.Sprintf("%s could not be called: %s. List the tools again.", quote(tool), why))
}

// BehindDialog is the result of a call that did not begin because a dialog of
// its page is open; dialog says which: its kind and message.
func BehindDialog(tool, dialog string) Result {
	return ended("dialog", fmt.Sprintf("%s was not called: a dialog is open in its page, and nothing there goes on until it is closed: %s. Ask the user to answer it in the browser, then call again. A hub that is started with --dialogs=dismiss or --dialogs=accept answers dialogs by itself.", quote(tool), dialog))
}

// FormBlocked is the result of a form's call during which the page asked for a new
// tab that the browser did not open. That may have been the form's or another.
func FormBlocked(tool, url string) Result {
	return ended("blocked", fmt.Sprintf("The browser has blocked a new tab (%[2]s) that the page of %[1]s asked for. If the tab was to show the form's result, the form was not sent: ask the user to allow pop-ups of this site in the browser, or to click in the page once. Look in the page whether the form took effect before you call again.", quote(tool), sanitize.Text(url, 300)))
}

// FormShownIn is the result of a form that shows its result in another tab, whose
// page is opened, if that is known.
func FormShownIn(url string, opened PageID) Result {
	r := sanitize.TextResult("The form was sent, and shows its result in a new tab: " + sanitize.Text(url, 300) + ". Its page's tools are listed with that tab.")
	r.Opened = string(opened)
	return r
}

// FormLedNowhere is the result of a form after which its page stays: the browser
// was given no page. The extension has the same words.
func FormLedNowhere() Result {
	return sanitize.TextResult("The form was sent, and its page stays, because no page came of it: the server has nothing to show (204 No Content), the browser downloads a file, another program opens the address, or the loading was stopped.")
}

// PageFailure is the result of a call whose tool threw; text is the page's own.
func PageFailure(tool, text string) Result {
	if text == "" {
		text = fmt.Sprintf("%s failed and gave no reason.", quote(tool))
	}
	return sanitize.ErrorResult(text)
}

func quote(tool string) string { return "tool \"" + sanitize.Text(tool, 128) + "\"" }

// ended is the result of a call that ended without a word from its tool.
func ended(how, text string) Result {
	r := sanitize.ErrorResult(text)
	r.Ending = how
	return r
}
