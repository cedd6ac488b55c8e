package page

import "testing"

func TestLed(t *testing.T) {
	for want, l := range map[string]LedNavigation{
		"The page went to b, which is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers).":            {Where: "b", KeptOut: true, Ready: true},
		"A frame of the page went to b, which is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers).": {Where: "b", KeptOut: true, Frame: true},
		"A frame of the page went to b.":                {Where: "b", Frame: true, Ready: true},
		"The page's address is now b.":                  {Where: "b", Within: true, Ready: true},
		"The page went to b.":                           {Where: "b", Ready: true},
		"The page is going to b, and is not there yet.": {Where: "b"},
	} {
		if got := l.String(); got != want {
			t.Errorf("%+v: %s", l, got)
		}
	}
}
