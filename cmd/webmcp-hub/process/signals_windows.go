package process

// SurviveBrokenPipes does nothing: writing to a closed pipe is only an error on Windows.
func SurviveBrokenPipes() {}

// OnListing does nothing: there are no such signals on Windows.
func OnListing(func(on bool)) (stop func()) { return func() {} }
