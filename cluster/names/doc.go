// Package names has the rule for the names of nodes, gateways, tenants and clusters. Such names are part of
// certificates, of keys in etcd, and of the ids of pages and browsers at gateways.
package names
