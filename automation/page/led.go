package page

// LedNavigation is a navigation that an action began.
type LedNavigation struct {
	Where   string // its address, in the form that may be told
	KeptOut bool   // the rules for sites keep it out
	Frame   bool   // a frame navigated, not the page
	Within  bool   // no document was loaded
	Ready   bool   // the page has loaded
}

// String describes the navigation in a sentence.
func (l LedNavigation) String() string {
	what, end := "The page", "."
	if l.Frame {
		what = "A frame of the page"
	}
	if l.KeptOut {
		end = ", which is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers)."
	}
	switch {
	case l.KeptOut || l.Frame:
		return what + " went to " + l.Where + end
	case l.Within:
		return "The page's address is now " + l.Where + "."
	case l.Ready:
		return "The page went to " + l.Where + "."
	}
	return "The page is going to " + l.Where + ", and is not there yet."
}
