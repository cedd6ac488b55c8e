package certs

// Files are where a process's certificates are.
type Files struct {
	CA   string // the certificates that sign all others of the cluster, PEM
	Cert string // its own, PEM
	Key  string // its private key, PEM
}
