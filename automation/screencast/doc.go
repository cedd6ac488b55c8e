// Package screencast shows a tab to a person as a moving picture, and lets them operate it by mouse and keys.
//
// A [Screen] has sessions of its own with the tab. Chrome's screencast runs on them while the Screen is open.
// [Screen.Next] returns at most five pictures per second, of at most 1280 by 960 pixels.
//
// # What is not shown
//
// No picture is given while any frame of the tab shows a document that the rules keep out (including the hub's own
// page), or while it isn't known yet what a frame shows. Pictures that were drawn before that became known are thrown
// away: the screencast is stopped, and started again once the document is gone. Such a tab can't be operated either.
//
// # Taking over
//
// A person who has taken the tab over ([Screen.TakeOver]) has the turn that agents' input needs
// ([page.Page.TakeOver]), so agents' input waits. The takeover ends when the person gives the tab back, after two
// minutes without input, with the page, and with the Screen.
package screencast
