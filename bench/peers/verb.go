package main

import (
	"context"

	"webmcphub/bench/peers/server"
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

// What is said of a server that is measured.
var errNotSeen = server.ErrNotSeen

type (
	session = server.Session
	reply   = server.Reply
	tool    = server.Tool
)

// patience bounds every wait.
const patience = server.Patience
