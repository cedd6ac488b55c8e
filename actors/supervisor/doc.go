// Package supervisor has what the actors that keep tabs have in common: the actor of a browser on a debugging port,
// and the actor of browsers with the extension.
//
// A supervisor owns connections to browsers. It finds out which tabs the browsers have, starts and ends an actor for
// each tab, replaces an actor that failed, and carries out what callers ask of browsers. It ends when nothing that it
// started is left. Each kind of supervisor reaches browsers in its own way; a tab's [tab.Link] reaches the page.
//
// A supervisor is an actor that embeds [Supervisor], keeps its tabs in [Tabs], has the methods Receive and Failed, and
// handles [*Order], [Stop], [RegistryFailed], [ConnectionClosed] and tab.ActorFailed. Package extbrowser is the shorter
// example. The hub starts supervisors in actors/hub.go and actors/dialled.go.
package supervisor
