package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"webmcphub/mcpserver/share"
)

// HoldProfile keeps other hubs from starting a Chrome on the same profile. The error names the process that holds it.
// "" is a throw-away profile, which nobody shares.
func HoldProfile(ctx context.Context, profile string) (release func(), err error) {
	if profile == "" {
		return func() {}, nil
	}
	if there, err := filepath.EvalSymlinks(profile); err == nil {
		profile = there
	}
	key := "profile\n" + profile
	release, holder, err := share.Hold(key)
	for holder == os.Getpid() { // this process's last Chrome is still ending
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		release, holder, err = share.Hold(key)
	}
	switch {
	case holder != 0:
		return nil, fmt.Errorf("%s has started a Chrome with the profile %s; to use that Chrome together with it, "+
			"start this one with --launch and the same --user-data-dir, or give this one a profile of its own "+
			"(--user-data-dir or --isolated)", nameHolder(holder), profile)
	case err != nil: // Chrome itself still refuses a profile that is in use
		return func() {}, nil
	}
	return release, nil
}

// nameHolder describes the process that [share.Hold] found.
func nameHolder(holder int) string {
	if holder < 0 {
		return "another webmcp-hub process"
	}
	return fmt.Sprintf("the webmcp-hub process %d", holder)
}
