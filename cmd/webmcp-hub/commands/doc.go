// Package commands has the commands of webmcp-hub other than serve.
//
//   - [Check] is "check": its flags, the files that it reads and writes, and its exit codes. Package check does the
//     work.
//   - [Inspect] is "inspect": the live page for one page, for the page's developer. It starts or attaches to the
//     Chrome that check would use, runs a hub that is connected to that page only, and listens to the page's console.
//   - [Demo] is "demo": a headless Chrome with a small shop, a user who opens and leaves pages, and an agent that
//     sees and calls their tools. The hub is a separate process, started as an MCP client would start it. The demo leaves
//     nothing running.
//   - [Doctor] is "doctor": it checks what the hub needs on this computer (a Chrome that starts and has WebMCP, a
//     profile, tokens, ports, logs, other hubs that answer), and says what is missing and how to fix it. It changes
//     nothing.
//   - [Pins] is "pins": it lists, compares, accepts, forgets and copies the pinned definitions of sites' tools. It
//     works on the files; a running hub notices.
//   - [Replay] is "replay", and [RecordFlags] are the flags of "record", which otherwise works like serve.
//   - [ClusterCommands] are "node", "gateway" and "cluster": they start webmcp-hub-cluster, another program.
package commands
