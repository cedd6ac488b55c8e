// Command webmcp-hub-cluster makes one MCP endpoint of many machines' browsers: its command node runs
// beside browsers, gateway serves MCP, and cluster is for operators. "webmcp-hub node" and so on
// start it. See docs/cluster.md.
//
// # Tenants
//
// reads the file of --tenants, which says who may use a gateway, and follows it:
//
//	tenants:
//	  - name: shop
//	    token: {file: /run/secrets/shop}
//	    quota: 10
//	  - name: bank
//	    tokens: [{env: BANK_TOKEN}, {env: BANK_TOKEN_NEXT}]
//	  - {name: me, token: a-long-random-text}
//
// A version with a mistake in it is logged and passed over as a whole: what was read before stays. No
// token is kept, nor repeated in an error; only its SHA-256 is.
package main
