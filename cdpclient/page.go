package cdpclient

// Commands and events of the Page domain.
const (
	PageAddScriptToEvaluateOnNewDocument = "Page.addScriptToEvaluateOnNewDocument"
	PageEnable                           = "Page.enable"
	PageGetFrameTree                     = "Page.getFrameTree"
	PageGetNavigationHistory             = "Page.getNavigationHistory"
	PageHandleJavaScriptDialog           = "Page.handleJavaScriptDialog"
	PageNavigate                         = "Page.navigate"
	PageNavigateToHistoryEntry           = "Page.navigateToHistoryEntry"
	PageReload                           = "Page.reload"
	PageDocumentOpened                   = "Page.documentOpened"
	PageFrameAttached                    = "Page.frameAttached"
	PageFrameDetached                    = "Page.frameDetached"
	PageFrameNavigated                   = "Page.frameNavigated"
	PageFrameRequestedNavigation         = "Page.frameRequestedNavigation"
	PageFrameStartedNavigating           = "Page.frameStartedNavigating"
	PageFrameStoppedLoading              = "Page.frameStoppedLoading"
	PageJavascriptDialogClosed           = "Page.javascriptDialogClosed"
	PageJavascriptDialogOpening          = "Page.javascriptDialogOpening"
	PageLoadEventFired                   = "Page.loadEventFired"
	PageNavigatedWithinDocument          = "Page.navigatedWithinDocument"
	PageWindowOpen                       = "Page.windowOpen"
)

// Values of [FrameNavigated].Type and [FrameDetached].Reason.
const (
	NavigationNew     = "Navigation"
	NavigationBFCache = "BackForwardCacheRestore" // the old document is back, with its LoaderID
	DetachRemove      = "remove"
	DetachSwap        = "swap" // the frame lives on in another process and session
)

// Frame is one frame's document. A main frame has no parent.
type Frame struct {
	ID             string `json:"id"`
	ParentID       string `json:"parentId,omitempty"`
	LoaderID       string `json:"loaderId"` // names the document
	Name           string `json:"name,omitempty"`
	URL            string `json:"url"`
	URLFragment    string `json:"urlFragment,omitempty"`
	SecurityOrigin string `json:"securityOrigin"`
	MimeType       string `json:"mimeType"`
	UnreachableURL string `json:"unreachableUrl,omitempty"` // set on Chrome's error pages
}

// FrameTree is a frame with its same-process descendants.
type FrameTree struct {
	Frame       Frame       `json:"frame"`
	ChildFrames []FrameTree `json:"childFrames,omitempty"`
}

// GetFrameTreeResult is the result of Page.getFrameTree.
type GetFrameTreeResult struct {
	FrameTree FrameTree `json:"frameTree"`
}

// FrameNavigated is the event of that name.
type FrameNavigated struct {
	Frame Frame  `json:"frame"`
	Type  string `json:"type"`
}

// DocumentOpened is the event of that name: a script called document.open(), which removes all listeners of the
// window, including those of other worlds.
type DocumentOpened struct {
	Frame Frame `json:"frame"`
}

// WindowOpen is the event of that name: a frame of the session asks for another tab or window. The new tab's
// [TargetInfo] says which frame, about ten milliseconds later. A pop-up that the browser blocks is announced, too,
// and no tab follows.
type WindowOpen struct {
	URL string `json:"url"`
}

// FrameAttached is the event of that name.
type FrameAttached struct {
	FrameID       string `json:"frameId"`
	ParentFrameID string `json:"parentFrameId"`
}

// FrameDetached is the event of that name.
type FrameDetached struct {
	FrameID string `json:"frameId"`
	Reason  string `json:"reason"`
}

// FrameRequestedNavigation is the event of that name: the page itself asked
// for a navigation (a script or a form, not the user's address bar).
type FrameRequestedNavigation struct {
	FrameID string `json:"frameId"`
	URL     string `json:"url"`
	Reason  string `json:"reason"` // "scriptInitiated", "formSubmissionPost", "reload", …
}

// NavigatedWithinDocument is the event of that name (fragment, pushState).
type NavigatedWithinDocument struct {
	FrameID string `json:"frameId"`
	URL     string `json:"url"`
}

// FrameStartedNavigating is the event of that name. From now until the navigation commits or ends
// (FrameStoppedLoading), Chrome holds back commands to the frame's renderer, except WebMCP.invokeTool and
// Runtime.terminateExecution.
type FrameStartedNavigating struct {
	FrameID        string `json:"frameId"`
	NavigationType string `json:"navigationType"` // also sameDocument, historySameDocument
}

// FrameStoppedLoading is the event of that name.
type FrameStoppedLoading struct {
	FrameID string `json:"frameId"`
}

// JavascriptDialogOpening is the event of that name: the page is blocked by
// alert(), confirm(), prompt() or beforeunload.
type JavascriptDialogOpening struct {
	FrameID       string `json:"frameId"` // of the frame that opened it
	URL           string `json:"url"`
	Message       string `json:"message"`
	Type          string `json:"type"`
	DefaultPrompt string `json:"defaultPrompt"`
}

// OpenDialog is a dialog that is open in a tab, with the session that can answer it. Sessions that were attached after
// the dialog opened can't.
type OpenDialog struct {
	Kind, Message, Default string // the type, and the page's texts, sanitized
	URL                    string // the address of the document that opened it
	Frame                  string // the id of the frame that opened it; "" if that isn't known
	Session                SessionID
}

// HandleJavaScriptDialogParams answers a dialog.
type HandleJavaScriptDialogParams struct {
	Accept     bool   `json:"accept"`
	PromptText string `json:"promptText,omitempty"`
}

// AddScriptParams is for Page.addScriptToEvaluateOnNewDocument.
type AddScriptParams struct {
	Source         string `json:"source"`
	WorldName      string `json:"worldName,omitempty"`
	RunImmediately bool   `json:"runImmediately,omitempty"` // also in existing documents
}

// NavigateResult is the result of Page.navigate. ErrorText is empty on success.
type NavigateResult struct {
	FrameID   string `json:"frameId"`
	LoaderID  string `json:"loaderId,omitempty"`
	ErrorText string `json:"errorText,omitempty"`
}
