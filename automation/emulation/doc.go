// Package emulation has a page see another device, network or place than there is.
//
// [Settings] are what one page is made to see. What Chrome must be told to get from one
// to the next is decided without asking anybody ([Settings.commands]); [Set] tells it, in
// all of the page's sessions and in those that come later. It ends with the page's
// sessions: nothing is left in a tab that automation has let go of, and no other tab
// and no window is touched.
package emulation
