package cdp

// MaxLogs is for the tests, which play with whole hubs and are a package of their own.
const MaxLogs = maxLogs
