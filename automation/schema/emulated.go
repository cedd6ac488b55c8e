package schema

import (
	"encoding/json"
	"fmt"
	"strconv"

	"webmcphub/registry/sanitize"
)

// Emulated rewrites an earlier spelling of arguments in place: a geolocation and a viewport that are objects become
// the strings that package emulation parses. It leaves other values unchanged.
func Emulated(args map[string]json.RawMessage) {
	var place struct{ Latitude, Longitude *float64 }
	if Decode(args["geolocation"], &place) == nil && place.Latitude != nil && place.Longitude != nil {
		args["geolocation"] = sanitize.Encode(number(*place.Latitude) + "," + number(*place.Longitude))
	}
	var view struct {
		Width, Height                   *int
		Ratio                           float64 `json:"deviceScaleFactor"`
		IsMobile, HasTouch, IsLandscape bool
	}
	if Decode(args["viewport"], &view) == nil && view.Width != nil && view.Height != nil {
		text := fmt.Sprintf("%dx%dx%s", *view.Width, *view.Height, number(view.Ratio))
		for _, flag := range []struct {
			on   bool
			name string
		}{{view.IsMobile, ",mobile"}, {view.HasTouch, ",touch"}, {view.IsLandscape, ",landscape"}} {
			if flag.on {
				text += flag.name
			}
		}
		args["viewport"] = sanitize.Encode(text)
	}
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
