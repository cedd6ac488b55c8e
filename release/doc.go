// Package release makes the packages by which people install WebMCP Hub, from programs that goreleaser has built: npm packages,
// bundles for Claude Desktop (.mcpb), Gemini CLI extensions and server.json for the MCP Registry. It also writes the
// files of this repository that name its owner, such as the plugin for Claude Code.
//
// names.json has every name that the owner of a release decides. The version comes from git. It needs nothing but
// the standard library, git and the built programs, and sends nothing anywhere: publishing is what
// .github/workflows/release.yml does, when a person starts it.
//
// The packages are the same, byte for byte, whenever they are made from the same programs: files in archives are in
// a fixed order and have the time of the commit.
package release
