// Package certs has the certificates by which gateways, nodes and operators know each other.
//
// A certificate names its owner by one URI among its subject alternative names: webmcp-hub://node/NAME,
// webmcp-hub://gateway/NAME or webmcp-hub://operator/NAME. The package ignores host names and IP addresses in
// certificates. Certificates that users make themselves (cert-manager, Vault, step) need that URI, and both extended
// key usages, server and client authentication. The CA whose certificate every process has must have signed them. If
// the CA file holds several certificates, all of them are trusted, so that a new CA can replace an old one.
//
// [Make] writes a set of certificates for trying the cluster out. [Open] reads a process's files and returns a [Set],
// which reads the files again after they have changed. Connections that are made later use the new certificates.
// Earlier connections stay open, even if their certificates expire.
package certs
