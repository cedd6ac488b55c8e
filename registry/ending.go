package registry

import (
	"errors"
	"fmt"
	"slices"

	"webmcphub/registry/sanitize"
)

// PageNotConnected is the reason why the hub can't ask anything of a page that it is not attached to.
const PageNotConnected = "its page " + NotConnected

// A call can end without an answer of its tool. The functions below make the result for each such case: it tells the
// agent what happened, what that means for the call, and what to do.

// knownEndings are the words for these cases, and for a call that was refused.
var knownEndings = []string{"navigated", "frame gone", sanitize.EndingClosed, "crashed", sanitize.EndingLost, "stopped",
	"failed", "server stopped",
	"timeout", "cancelled", "disconnected", sanitize.EndingGone, "dialog", "blocked", "refused"}

// KnownEnding reports whether a word is one of the values of [sanitize.Result].Ending. Code that gets such a word from
// another process accepts no other one, because the hub counts calls by these words.
func KnownEnding(how string) bool { return slices.Contains(knownEndings, how) }

// EndedByNavigation returns the result of a call whose page got a new document.
func EndedByNavigation(tool, url string) sanitize.Result {
	return ended("navigated", fmt.Sprintf("The page navigated to %s while %s ran; whether it took effect is unknown. "+
		"List the tools again: the page's tools have changed.", sanitize.Text(url, 300), quote(tool)))
}

// EndedByFrame returns the result of a call whose iframe was removed or got a new document.
func EndedByFrame(tool string) sanitize.Result {
	return ended("frame gone", fmt.Sprintf("The frame of %s was removed or navigated while the tool ran; whether it "+
		"took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByClose returns the result of a call whose tab was closed.
func EndedByClose(tool string) sanitize.Result {
	return ended(sanitize.EndingClosed, fmt.Sprintf("The page of %s was closed; whether the call took effect is "+
		"unknown. List the tools again.", quote(tool)))
}

// EndedByCrash returns the result of a call whose page crashed.
func EndedByCrash(tool string) sanitize.Result {
	return ended("crashed", fmt.Sprintf("The page crashed while %s ran. It has no tools until it is reloaded.",
		quote(tool)))
}

// EndedByLoss returns the result of a call during which the connection to Chrome was lost.
func EndedByLoss(tool string) sanitize.Result {
	return ended(sanitize.EndingLost, fmt.Sprintf("The connection to Chrome was lost while %s ran; whether it took "+
		"effect is unknown. The tools come back once Chrome is reconnected.", quote(tool)))
}

// EndedByExtension returns the result of a call during which the connection to the browser's extension was lost.
func EndedByExtension(tool string) sanitize.Result {
	return ended(sanitize.EndingLost, fmt.Sprintf("The connection to the browser's extension was lost while %s ran; "+
		"whether it took effect is unknown. The tools come back once the extension has connected again.", quote(tool)))
}

// EndedByStop returns the result of a call that was running when the hub stopped.
func EndedByStop(tool string) sanitize.Result {
	return ended("stopped", fmt.Sprintf("The hub is stopping, so it no longer waits for %s; whether it took effect is unknown.", quote(tool)))
}

// EndedByRemoval returns the result of a call whose browser was removed from the hub's browsers.
func EndedByRemoval(tool string) sanitize.Result {
	return ended(sanitize.EndingLost, fmt.Sprintf("The browser of %s was taken out of the hub's browsers, or is to "+
		"be reached in another way, while the tool ran; whether it took effect is unknown. List the tools again.",
		quote(tool)))
}

// EndedByFailure returns the result of a call that an internal error of the hub interrupted.
func EndedByFailure(tool string) sanitize.Result {
	return ended("failed", fmt.Sprintf("The hub had an internal error while %s ran, and is reading its page again; "+
		"whether the call took effect is unknown. List the tools again.", quote(tool)))
}

// EndedByServer returns the result of a call whose page's own MCP server stopped.
func EndedByServer(tool string) sanitize.Result {
	return ended("server stopped", fmt.Sprintf("The page's MCP server stopped while %s ran; whether it took effect "+
		"is unknown. List the tools again.", quote(tool)))
}

// EndedByTimeout returns the result of a call that took longer than allowed; cause says how long that is.
func EndedByTimeout(tool, cause string) sanitize.Result {
	return ended("timeout", fmt.Sprintf("%s did not answer: %s. It was told to stop; whether it took effect is unknown.", quote(tool), cause))
}

// EndedByCancel returns the result of a call that its client cancelled.
func EndedByCancel(tool string) sanitize.Result {
	return ended("cancelled", fmt.Sprintf("The call of %s was cancelled.", quote(tool)))
}

// ErrEndedByUser is the cause of a context that the hub's user ended.
var ErrEndedByUser = errors.New("the user stopped the call on the hub's live page")

// EndedByUser returns the result of a call that the hub's user stopped.
func EndedByUser(tool string) sanitize.Result {
	return ended("cancelled", fmt.Sprintf("The user stopped the call of %s on the hub's live page; whether it took "+
		"effect is unknown. Ask the user before you call it again.", quote(tool)))
}

// EndedByDisconnect returns the result of a call whose page a client disconnected.
func EndedByDisconnect(tool string) sanitize.Result {
	return endedUnconnected("disconnected",
		fmt.Sprintf("A client of this hub disconnected the page while %s ran, which was told to stop; whether it "+
			"took effect is unknown. The page has no tools until it is connected again.", quote(tool)))
}

// EndedBySessionLoss returns the result of a call during which the browser ended the hub's session with the page. The
// hub connects to the page again.
func EndedBySessionLoss(tool string) sanitize.Result {
	return ended("disconnected",
		fmt.Sprintf("The browser ended the hub's connection to the page while %s ran; whether it took effect is "+
			"unknown. The hub connects to the page again. List the tools again.", quote(tool)))
}

// NotThere returns the result of a call that could not begin, because its tool or document was gone.
func NotThere(tool, why string) sanitize.Result {
	if why == PageNotConnected {
		return endedUnconnected(sanitize.EndingGone, fmt.Sprintf("%s could not be called: %s.", quote(tool), why))
	}
	return ended(sanitize.EndingGone, fmt.Sprintf("%s could not be called: %s. List the tools again.", quote(tool),
		why))
}

// BehindDialog returns the result of a call that did not begin because its page has an open dialog. dialog says which
// kind of dialog, and its message.
func BehindDialog(tool, dialog string) sanitize.Result {
	return ended("dialog", fmt.Sprintf("%s was not called: a dialog is open in its page, and nothing there continues "+
		"until it is closed: %s. Ask the user to answer it in the browser, then call again. A hub that is started "+
		"with --dialogs=dismiss or --dialogs=accept answers dialogs by itself.", quote(tool), dialog))
}

// FormBlocked returns the result of a form's call during which the page asked for a new tab that the browser blocked.
// The tab may have been for the form's result or for something else.
func FormBlocked(tool, url string) sanitize.Result {
	return ended("blocked", fmt.Sprintf("The browser has blocked a new tab (%[2]s) that the page of %[1]s asked for. "+
		"If the tab was to show the form's result, the form was not sent: ask the user to allow pop-ups of this site "+
		"in the browser, or to click in the page once. Look in the page whether the form took effect before you call again.", quote(tool), sanitize.Text(url, 300)))
}

// FormShownIn returns the result of a form that shows its result in another tab. opened is the page id of that tab, or
// "" if it isn't known.
func FormShownIn(url, opened string) sanitize.Result {
	r := sanitize.TextResult("The form was sent, and shows its result in a new tab: " + sanitize.Text(url, 300) +
		". Its page's tools are listed with that tab.")
	r.Opened = opened
	return r
}

// FormLedNowhere returns the result of a form after which the page stays, because the browser got no new page. The
// extension uses the same text.
func FormLedNowhere() sanitize.Result {
	return sanitize.TextResult("The form was sent, and its page stays, because no page came of it: the server has " +
		"nothing to show (204 No Content), the browser downloads a file, another program opens the address, or the " +
		"loading was stopped.")
}

// PageFailure returns the result of a call whose tool threw; text is the page's own.
func PageFailure(tool, text string) sanitize.Result {
	if text == "" {
		text = fmt.Sprintf("%s failed and gave no reason.", quote(tool))
	}
	return sanitize.ErrorResult(text)
}

func quote(tool string) string { return "tool \"" + sanitize.Text(tool, 128) + "\"" }

// ended returns the result of a call that ended without an answer of its tool.
func ended(how, text string) sanitize.Result {
	r := sanitize.ErrorResult(text)
	r.Ending = how
	return r
}

// endedUnconnected returns the result of a call that ended, or did not begin, because the hub is not connected to its
// page.
func endedUnconnected(how, text string) sanitize.Result {
	r := ended(how, text)
	r.Connects = ended(how, text+VisibleTools{Connect: true}.CallConnect()).JSON
	return r
}

// ResultFor returns r with the advice for a client that sees the hub's tools in to.
func ResultFor(to VisibleTools, r sanitize.Result) sanitize.Result {
	if to.Connect && r.Connects != nil {
		r.JSON = r.Connects
	}
	return r
}
