// Package screencast shows a tab to a person as a moving picture, and lets them operate it by mouse and keys.
//
// A [Screen] has a session of its own with the tab, on which Chrome's screencast is on while the Screen is open.
// [Screen.Next] gives at most five pictures a second, of at most 1280 by 960 pixels.
//
// # What is not shown
//
// No picture is given while the tab shows, in whatever frame, a document that the rules keep out (the hub's own page
// among them), or while a frame has yet to tell what it shows. Pictures drawn before that was known are thrown away: the
// screencast is ended then, and begun anew once the document is gone. Such a tab can't be operated, either.
//
// # Taking over
//
// A person who has taken the tab over ([Screen.TakeOver]) has the turn that agents' input takes ([page.Page.TakeOver]):
// the agents' input waits. It ends when the person gives the tab back, after two minutes without input, with the page,
// and with the Screen.
package screencast
