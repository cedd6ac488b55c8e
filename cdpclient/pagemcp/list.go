package pagemcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
)

// These limit one list. The client cuts a longer list of a page's server, and logs that.
const (
	MaxListPages   = 100
	MaxListEntries = 10_000
)

// listAll reads all pages of a list. It leaves out entries for which good returns false.
func listAll[E any](ctx context.Context, c *Client, method, member string, good func(E) bool) ([]E, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	var all []E
	cursor := ""
	seen := map[string]bool{"": true}
	for range MaxListPages {
		entries, next, err := c.listPage(ctx, method, member, cursor)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		for i, raw := range entries {
			var e E
			if err := json.Unmarshal(raw, &e); err != nil || !good(e) {
				c.remarks.once(slog.LevelDebug, "page server lists something that is not what it should be",
					"method", method, "index", i, "err", err)
				continue
			}
			if len(all) == MaxListEntries {
				c.remarks.once(slog.LevelWarn, "page server lists too much, the rest is left out", "method",
					method, "limit", MaxListEntries)
				return all, nil
			}
			all = append(all, e)
		}
		if next == "" {
			return all, nil
		}
		if seen[next] {
			return nil, fmt.Errorf("%s: the page's MCP server repeats a cursor, the list would never end", method)
		}
		seen[next] = true
		cursor = next
	}
	c.remarks.once(slog.LevelWarn, "page server lists too many pages, the rest is left out", "method", method,
		"limit", MaxListPages)
	return all, nil
}

// listPage reads the page that begins at cursor.
func (c *Client) listPage(ctx context.Context, method, member,
	cursor string) (entries []json.RawMessage, next string, err error) {
	result, err := c.call(ctx, method, sendTries, nil, func(int64) any {
		if cursor == "" {
			return nil
		}
		return map[string]any{"cursor": cursor}
	})
	if err != nil {
		return nil, "", err
	}
	if interrupted(result) {
		return nil, "", ErrInterrupted
	}
	var page map[string]json.RawMessage
	if err := json.Unmarshal(result, &page); err != nil {
		return nil, "", fmt.Errorf("the page's list can't be read: %w", err)
	}
	if json.Unmarshal(page[member], &entries) != nil || entries == nil {
		return nil, "", errors.New("the page's answer has no list of " + member)
	}
	if cursor := page["nextCursor"]; cursor != nil {
		if err := json.Unmarshal(cursor, &next); err != nil {
			return nil, "", fmt.Errorf("the page's list can't be read: its cursor: %w", err)
		}
	}
	return entries, next, nil
}
