package main

import (
	"context"
	"errors"
)

// A verb is something that agents ask of every server.
type verb string

// The verbs. To measure another, add it here, to the peers and to the figures.
const (
	echo verb = "call a page's tool"
)

// An act asks a server for a verb on a tab, and checks the answer. The text
// differs from time to time, so that no answer of another act passes the check.
type act func(ctx context.Context, s *session, t *tab, text string) error

// errNotSeen says that an agent couldn't reach a tab by this server in time: a
// figure, not a failure.
var errNotSeen = errors.New("the server doesn't show the tab")
