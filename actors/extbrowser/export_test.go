package extbrowser

// What the tests of this package see of its inside. They are a package of their own,
// since they play with whole hubs, which import this one.

const NoExtension = noExtension
