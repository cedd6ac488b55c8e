// Package commands has the commands of webmcp-hub other than serve.
//
//   - [Check] is "check": its flags, the files that it reads and writes, its exit codes. The work is package check's.
//   - [Inspect] is "inspect": the live page for one page, for whoever builds it. It starts or reaches the Chrome that
//     check would, has a hub there that is connected to that page only, and listens to the page's console.
//   - [RunDemo] is "demo": a headless Chrome with a small shop, a user who opens and leaves pages, and an agent that sees
//     and calls their tools. The hub is a process of its own, started as an MCP client would start it. The demo leaves
//     nothing running.
//   - [Doctor] is "doctor": looks at what the hub needs on this computer (a Chrome that starts and has WebMCP, a profile,
//     tokens, ports, logs, other hubs that answer), and says what is missing and how to mend it. It changes nothing.
//   - [Pins] is "pins": lists, compares, accepts, forgets and copies what is pinned of sites' tools. It works on the
//     files; a running hub notices.
//   - [Replay] is "replay", and [RecordFlags] the flags of "record", which is otherwise serve.
//   - [ClusterCommands] are "node", "gateway" and "cluster": they start webmcp-hub-cluster, another program.
package commands
