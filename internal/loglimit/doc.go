// Package loglimit keeps logs from being flooded.
package loglimit
