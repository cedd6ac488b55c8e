package trust

import (
	"fmt"
	"time"

	"webmcphub/mcpserver/calls"
)

// history says, for the person who answers, since when the thing that an action uses has had its definition. It
// returns "" if that is unknown.
func history(d calls.Action, now time.Time) string {
	if d.Since.IsZero() {
		return ""
	}
	if d.Changed {
		return "another than it was: its page changed it " + ago(d.Since, now)
	}
	return "unchanged since " + clock(d.Since, now) + ", when the hub first saw it in this tab"
}

// ago returns a time in words: how long ago it was or, after a minute, the time itself.
func ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case d < 2*time.Second:
		return "a moment ago"
	case d < time.Minute:
		return fmt.Sprintf("%d seconds ago", d/time.Second)
	}
	return "at " + clock(t, now)
}

// clock formats a time for people who are in the hub's time zone.
func clock(t, now time.Time) string {
	if t.Format(time.DateOnly) != now.Format(time.DateOnly) {
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("15:04:05")
}
