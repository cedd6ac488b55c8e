// Package watching shows a tab to a person as a moving picture, and lets them operate it by
// mouse and keys.
//
// A [Screen] has a session of its own with the tab, on which Chrome's screencast is on while
// the Screen is open. At most five pictures a second come out of [Screen.Next], at most
// 1280 by 960 pixels large.
//
// # What is not shown
//
// No picture is given while the tab shows a document that the rules for sites keep out, the hub's
// own page among them, in whatever frame, nor while a frame has yet to tell what it shows. What was
// drawn before that was known is thrown away: the screencast is ended then, and begun anew once the
// document is gone. Nor can such a tab be operated.
//
// # Taking over
//
// Whoever has taken a tab over ([Screen.TakeOver]) has the turn that agents' input takes
// ([page.Page.TakeOver]), so that theirs waits. It ends when it is given back, after two minutes
// without input, with the page, and with the Screen.
package watching
