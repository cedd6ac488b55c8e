// Package emulation makes a page see another device, network or place than the real one.
//
// [Settings] are what one page is made to see. [Settings.commands] decides, without any I/O, by which commands Chrome
// gets from one Settings to another. [Page.Set] sends them, in all of the page's sessions and in later ones.
// Emulation ends with the page's sessions, so nothing is left in a tab that automation has closed. It changes no
// other tab and no window.
package emulation
