package wire

import "encoding/json"

// MaxPicture is how many bytes [Shown].Picture may have.
const MaxPicture = 4 << 20

// Watches says whether a request has to do with a tab's picture. Those last as long as somebody looks, and are no calls.
func (k RequestKind) Watches() bool {
	return k == Watch || k == Look || k == TakeOver || k == Drive
}

// The bodies and results of requests for a tab's picture. A gateway asks for one [Look] after the other: so at most
// one picture is on the way, and the newest one at that.
type (
	// Watching begins to show a tab. The request lasts as long as the tab is shown: cancelled, it ends that. It has
	// one [Progress] when pictures can be asked for.
	Watching struct {
		Screen string // how the gateway calls what begins, as nothing else that it watches
		Page   string
		// Browser is the page's, in the life in which it may be seen.
		Browser Sight
		// Own is the gateway's live page, where it is served beyond the gateway's computer: no picture shows it.
		Own *OwnPage `json:",omitempty"`
	}
	// OwnPage is where a page of a gateway's own is served: a port, at the hosts by which it is reached.
	OwnPage struct {
		Port  string
		Hosts []string
	}
	// Looking is about a tab that is shown.
	Looking struct{ Screen string }
	// Shown is what there is to see that is new.
	Shown struct {
		Picture string `json:",omitempty"` // a JPEG in base64; "" if there is none, or no other
		Hidden  string `json:",omitempty"` // why there is no picture
		Note    string `json:",omitempty"`
		State   string // whose the tab is: "looking", "waiting" or "yours"
		// Document names what the picture is of: input for another is left out.
		Document string `json:",omitempty"`
	}
	// Driving is what a person does in a picture.
	Driving struct {
		Screen string
		Events json.RawMessage // as the live page sends them
	}
)
