package automation

import (
	"testing"

	"webmcphub/automation/input"
)

func TestLed(t *testing.T) {
	for want, n := range map[string]input.Navigation{
		"The page went to b, which is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers).":            {URL: "b/secret", Ready: true},
		"A frame of the page went to b, which is kept out by the user's rules for sites (--allow-origin, --deny-origin, --browsers).": {URL: "b/secret", Frame: "f"},
		"A frame of the page went to b.":                {URL: "b", Frame: "f", Ready: true},
		"The page's address is now b.":                  {URL: "b", Within: true, Ready: true},
		"The page went to b.":                           {URL: "b", Ready: true},
		"The page is going to b, and is not there yet.": {URL: "b"},
	} {
		if got := led(&n, "b"); got != want {
			t.Errorf("%+v: %s", n, got)
		}
	}
}
