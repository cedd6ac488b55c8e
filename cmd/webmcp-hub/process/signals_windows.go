package process

// SurviveBrokenPipes does nothing: on Windows a write to a closed pipe only returns an error.
func SurviveBrokenPipes() {}

// OnListing does nothing: Windows has no such signals.
func OnListing(func(on bool)) (stop func()) { return func() {} }
