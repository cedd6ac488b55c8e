// Package automationtest gives tests of automation a real Chromium: one per test
// binary, a tab per test, and pages on several hosts.
//
//	func TestMain(m *testing.M) { automationtest.Main(m) }
//
//	func TestX(t *testing.T) {
//		t.Parallel()
//		tab := automationtest.Open(t, automationtest.HTML(`<button>Save</button>`))
//		tab.Page…
//	}
//
// Tests are skipped with -short, and where there is no Chromium unless
// WEBMCP_REQUIRE_CHROME=1 makes that a failure.
package automationtest
