// Package client is one client of the hub: its connection (package wire), what it
// sees and has read (package lens), and what it says of itself. A change of what
// the client sees becomes a notification on its connection here.
package client
