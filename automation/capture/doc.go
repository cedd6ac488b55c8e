// Package capture takes pictures of pages: of what a tab shows, of one element, or of a
// whole page, in bounded size.
//
// A tab in the background is captured as fast as one in front, because its focus is
// emulated while automation uses it, and Chrome is made to draw it for the picture
// ([page.Page.Draw]). Nothing is brought to the front, and pictures have the real size of
// what is there.
package capture
