package trust

import (
	"testing"
	"time"

	"webmcphub/mcpserver/calls"
)

func TestHistory(t *testing.T) {
	now := time.Date(2026, 1, 2, 12, 3, 4, 0, time.UTC)
	for _, c := range []struct {
		since   time.Duration
		changed bool
		want    string
	}{
		{time.Second, true, "another than it was: its page changed it a moment ago"},
		{3*time.Second + 1, true, "another than it was: its page changed it 3 seconds ago"},
		{14 * time.Minute, true, "another than it was: its page changed it at 11:49:04"},
		{12 * time.Hour, true, "another than it was: its page changed it at 00:03:04"},
		{13 * time.Hour, true, "another than it was: its page changed it at 2026-01-01 23:03"},
		{time.Second, false, "unchanged since 12:03:03, when the hub first saw it in this tab"},
		{50 * time.Hour, false, "unchanged since 2025-12-31 10:03, when the hub first saw it in this tab"},
	} {
		d := calls.Action{What: calls.What{Since: now.Add(-c.since), Changed: c.changed}}
		if got := history(d, now); got != c.want {
			t.Errorf("%v ago: %q, want %q", c.since, got, c.want)
		}
	}
	if got := history(calls.Action{}, now); got != "" {
		t.Errorf("nothing is known: %q", got)
	}
}
