package trust

import (
	"fmt"
	"time"

	"webmcphub/mcpserver/calls"
)

// history says since when what an action uses is what it is, in words for the person who is
// asked; "" if that isn't known.
func history(d calls.Action, now time.Time) string {
	if d.Since.IsZero() {
		return ""
	}
	if d.Changed {
		return "another than it was: its page changed it " + ago(d.Since, now)
	}
	return "unchanged since " + clock(d.Since, now) + ", when the hub first saw it in this tab"
}

// ago says how long ago a time is, and which that was.
func ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 2*time.Second:
		return "a moment ago"
	case d < time.Minute:
		return fmt.Sprintf("%d seconds ago", d/time.Second)
	}
	return "at " + clock(t, now)
}

// clock is a time as people read it here.
func clock(t, now time.Time) string {
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("15:04:05")
}
