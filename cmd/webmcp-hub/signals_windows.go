package main

// surviveBrokenPipes does nothing: writing to a closed pipe is only an error on Windows.
func surviveBrokenPipes() {}

// onAutoRegisterSignals does nothing: there are no such signals on Windows.
func onAutoRegisterSignals(func(on bool)) (stop func()) { return func() {} }
