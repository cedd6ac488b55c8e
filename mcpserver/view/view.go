package view

import (
	"fmt"
	"time"

	"webmcphub/registry/names"
	"webmcphub/registry/sanitize"
)

// Mode says which tools a client's list contains.
type Mode string

const (
	// AllTabs lists every tool of every page.
	AllTabs Mode = "all"
	// FocusedTab lists the tools of the tab that the client has focused.
	FocusedTab Mode = "focus"
)

// Settings say what one client sees of the hub, and how. Clients of one hub may have different settings.
type Settings struct {
	Mode        Mode          `json:"mode"`        // which tools the client sees
	CallTimeout time.Duration `json:"callTimeout"` // time limit of its calls; negative means no limit
	MaxName     int           `json:"maxName"`     // longest name of a tool, in bytes
	ListPage    int           `json:"listPage"`    // tools in one page of tools/list; 0 lists all at once
	FollowUser  bool          `json:"followUser"`  // its focus follows the user to another tab
	Unlisted    bool          `json:"unlisted"`    // page tools are not listed as tools of their own
	Automation  string        `json:"automation"`  // categories of browser tools that it has, as "input,navigation"
	MaxResult   int           `json:"maxResult"`   // longest result of a call, in tokens; 0 cuts none

	// Surface says what the list of a client that sees all tabs contains; "" means [All]. SurfaceTokens is the limit
	// for [ByUse].
	Surface       Surface `json:"surface"`
	SurfaceTokens int     `json:"surfaceTokens"`
}

// Limits for a view.
const (
	maxViewName    = 128
	maxViewTimeout = 24 * time.Hour
)

// Validate says what is wrong with settings that come from another process.
func (v Settings) Validate() error {
	switch {
	case v.Mode != AllTabs && v.Mode != FocusedTab:
		return fmt.Errorf("there is no mode %q", sanitize.Text(string(v.Mode), 40))
	case v.CallTimeout == 0 || v.CallTimeout > maxViewTimeout:
		return fmt.Errorf("calls can't have %v", v.CallTimeout)
	case v.MaxName < names.MinMaxName || v.MaxName > maxViewName:
		return fmt.Errorf("tool names must be given from %d to %d bytes, not %d", names.MinMaxName, maxViewName,
			v.MaxName)
	case v.ListPage < 0:
		return fmt.Errorf("a list can't have pages of %d tools", v.ListPage)
	case v.MaxResult < 0:
		return fmt.Errorf("a result can't have %d tokens", v.MaxResult)
	case v.FollowUser && v.Mode != FocusedTab:
		return fmt.Errorf("only a client in focus mode has a focus that can follow the user")
	case v.Surface != "" && v.Surface != All && v.Surface != Static && v.Surface != ByUse:
		return fmt.Errorf("there is no surface %q", sanitize.Text(string(v.Surface), 40))
	case v.SurfaceTokens < 0 || v.SurfaceTokens > MaxTokens:
		return fmt.Errorf("a list can't have %d tokens", v.SurfaceTokens)
	}
	return nil
}
