// Command webmcp-hub-cluster combines the browsers of many machines behind one MCP endpoint. Its command node runs
// beside browsers, gateway serves MCP, and cluster is for operators. "webmcp-hub node" and so on start it. See
// docs/cluster.md.
//
// # Tenants
//
// The file of --tenants says who may use a gateway. The gateway reads it, and follows changes:
//
//	tenants:
//	  - name: shop
//	    token: {file: /run/secrets/shop}
//	    quota: 10
//	  - name: bank
//	    tokens: [{env: BANK_TOKEN}, {env: BANK_TOKEN_NEXT}]
//	  - {name: me, token: a-long-random-text}
//
// If a version has a mistake, the gateway logs that and ignores the whole version: the previous one stays in effect.
// The gateway neither keeps tokens nor repeats them in errors; it keeps only their SHA-256.
package main
