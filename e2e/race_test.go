//go:build race

package e2e

// raceFlag makes the hub's own data races visible: it's built as the tests are.
const raceFlag = true
