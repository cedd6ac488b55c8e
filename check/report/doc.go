// Package report writes the findings of a check: for people ([Report.Text]), for programs ([Report.JSON]), for test
// reporters ([Report.JUnit]), for code scanning ([Report.SARIF]), for GitHub's log ([Report.GitHub]) and as a page
// ([Report.HTML]). [CoverageOf] counts which tools, parameters and values of enums were called, and which never.
//
// Everything here is pure: it writes to an io.Writer. Texts from pages are cleaned before they are written, so that
// they can't control a terminal or a log.
package report
