// Package certs has the certificates with which gateways and nodes know each other.
package certs
