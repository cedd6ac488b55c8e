// Package loglimit limits how many lines of a kind are logged, so that they don't flood the log.
package loglimit
