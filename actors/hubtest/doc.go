// Package hubtest has a hub for tests, between a fake Chrome and a publisher that keeps the catalog.
//
// The tests of package actors and of the links share it. Everything in it is used inside the bubble of
// testing/synctest that [Bubble] makes: nothing does I/O, the clock is the bubble's, and a goroutine left behind
// fails the test. [TestHub.InActor] runs a test's function in the turn of a tab's actor; [PlayDeaths] makes actors
// panic. A [TestHub]'s methods are called from the test's goroutine.
package hubtest
