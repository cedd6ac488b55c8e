package cdpclient

import "github.com/mafredri/cdp/protocol/target"

// Commands and events of the Target domain. A constant's name consists of the domain's and the method's, as in the
// other files.
const (
	TargetActivateTarget      = "Target.activateTarget"
	TargetAttachToTarget      = "Target.attachToTarget"
	TargetAttachToBrowser     = "Target.attachToBrowserTarget"
	TargetCloseTarget         = "Target.closeTarget"
	TargetCreateTarget        = "Target.createTarget"
	TargetDetachFromTarget    = "Target.detachFromTarget"
	TargetGetTargets          = "Target.getTargets"
	TargetSetAutoAttach       = "Target.setAutoAttach"
	TargetSetDiscoverTargets  = "Target.setDiscoverTargets"
	TargetAttachedToTarget    = "Target.attachedToTarget"
	TargetDetachedFromTarget  = "Target.detachedFromTarget"
	TargetTargetCrashed       = "Target.targetCrashed"
	TargetTargetCreated       = "Target.targetCreated"
	TargetTargetDestroyed     = "Target.targetDestroyed"
	TargetTargetInfoChanged   = "Target.targetInfoChanged"
	BrowserClose              = "Browser.close"
	BrowserGetVersion         = "Browser.getVersion"
	InspectorDetached         = "Inspector.detached"
	InspectorTargetCrashed    = "Inspector.targetCrashed"
	InspectorReloadAfterCrash = "Inspector.targetReloadedAfterCrash"
)

// Types of targets.
const (
	TypePage      = "page"
	TypeIframe    = "iframe" // only out-of-process ones; the target id is the frame id
	TypeTab       = "tab"
	TypeBrowser   = "browser"    // the whole browser, by Target.attachToBrowserTarget
	TypeBrowserUI = "browser_ui" // Chrome's own popups
)

// TargetInfo describes a page, an out-of-process iframe, a worker, …
type TargetInfo struct {
	TargetID         string `json:"targetId"`
	Type             string `json:"type"`
	Subtype          string `json:"subtype,omitempty"` // "prerender"
	Title            string `json:"title"`
	URL              string `json:"url"`
	Attached         bool   `json:"attached"`
	OpenerID         string `json:"openerId,omitempty"`      // the page that opened it, also with noopener
	OpenerFrameID    string `json:"openerFrameId,omitempty"` // the frame of that page that opened it
	ParentFrameID    string `json:"parentFrameId,omitempty"` // the parent frame of an iframe
	BrowserContextID string `json:"browserContextId,omitempty"`
}

// AttachedToTarget is the event of that name. The event's own session is the
// parent.
type AttachedToTarget struct {
	SessionID          SessionID  `json:"sessionId"`
	TargetInfo         TargetInfo `json:"targetInfo"`
	WaitingForDebugger bool       `json:"waitingForDebugger"`
}

// DetachedFromTarget is the event of that name.
type DetachedFromTarget struct {
	SessionID SessionID `json:"sessionId"`
	TargetID  string    `json:"targetId,omitempty"`
}

// TargetInfoChanged is the event of that name, and of Target.targetCreated.
type TargetInfoChanged struct {
	TargetInfo TargetInfo `json:"targetInfo"`
}

// TargetDestroyed is the event of that name.
type TargetDestroyed struct {
	TargetID string `json:"targetId"`
}

// TargetCrashed is the event of that name, which needs discovery.
type TargetCrashed struct {
	TargetID  string `json:"targetId"`
	Status    string `json:"status"`
	ErrorCode int    `json:"errorCode"`
}

// TargetFilterEntry includes or excludes one type of target; an empty Type is
// all the rest. The first entry that matches decides.
type TargetFilterEntry struct {
	Type    string `json:"type,omitempty"`
	Exclude bool   `json:"exclude,omitempty"`
}

// SetAutoAttachParams requests sessions with all targets of a browser or a page, present and future.
type SetAutoAttachParams struct {
	AutoAttach             bool                `json:"autoAttach"`
	WaitForDebuggerOnStart bool                `json:"waitForDebuggerOnStart"`
	Flatten                bool                `json:"flatten"` // must be true here
	Filter                 []TargetFilterEntry `json:"filter,omitempty"`
}

// SetDiscoverTargetsParams requests the target events.
type SetDiscoverTargetsParams struct {
	Discover bool                `json:"discover"`
	Filter   []TargetFilterEntry `json:"filter,omitempty"`
}

// SessionParams names a session, for Target.detachFromTarget.
type SessionParams struct {
	SessionID SessionID `json:"sessionId"`
}

// Params and results whose generated types fit as they are.
type (
	CreateTargetParams = target.CreateTargetArgs
	CreateTargetResult = target.CreateTargetReply
)

// GetTargetsResult lists the targets.
type GetTargetsResult struct {
	TargetInfos []TargetInfo `json:"targetInfos"`
}

// BrowserVersion is the result of Browser.getVersion.
type BrowserVersion struct {
	ProtocolVersion string `json:"protocolVersion"`
	Product         string `json:"product"` // "Chrome/156.0.8078.79", "HeadlessChrome/…"
	Revision        string `json:"revision"`
	UserAgent       string `json:"userAgent"`
	JSVersion       string `json:"jsVersion"`
}
