// Package automate is the folder of browser tools, and of watched tabs, for many machines' browsers. It holds no code itself.
//
//   - serving: a node's side, a service of package automation over the node's hub;
//   - offering: a gateway's side: which node a call is for, what all nodes answer together, and
//     each client's current page;
//   - showing: a node's side of tabs that people watch at gateways' live pages, and operate;
//   - viewing: a gateway's side of these.
//
// A page has one number for agents: the gateway's. A node tells of its pages by that, since it sees them,
// for the time of a call, as the gateway's client does.
package automate
