// Package certs has the certificates with which gateways and nodes know each other.
//
// A certificate says whose it is by one URI among its alternative names, webmcp-hub://node/NAME or
// webmcp-hub://gateway/NAME; names and addresses of hosts aren't looked at. Certificates of
// one's own (cert-manager, Vault, step) need that URI, and both extended key usages, server and
// client authentication. All are signed by the CA whose certificate every process has; a file of
// several CAs' certificates has all of them trusted, so that one can follow another.
//
// [Make] writes a set for trying. [Open] reads a process's files; the [Set] that it gives reads them
// again when they have changed. New certificates hold for connections that are made from then on:
// earlier connections stay, even if their certificates expire.
package certs
