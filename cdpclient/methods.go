package cdpclient

// knownMethods saves the reader one allocation per event.
var knownMethods = func() map[string]string {
	m := map[string]string{}
	for _, name := range []string{
		TargetAttachedToTarget, TargetDetachedFromTarget, TargetTargetCrashed,
		TargetTargetCreated, TargetTargetDestroyed, TargetTargetInfoChanged,
		InspectorDetached, InspectorTargetCrashed, InspectorReloadAfterCrash,
		PageDocumentOpened, PageFrameAttached, PageFrameDetached, PageFrameNavigated, PageFrameRequestedNavigation,
		PageJavascriptDialogClosed, PageJavascriptDialogOpening,
		PageLoadEventFired, PageNavigatedWithinDocument, PageWindowOpen,
		RuntimeBindingCalled, RuntimeExecutionContextCreated,
		RuntimeExecutionContextDestroyed, RuntimeExecutionContextsCleared,
		WebMCPToolInvoked, WebMCPToolResponded, WebMCPToolsAdded, WebMCPToolsRemoved,
	} {
		m[name] = name
	}
	return m
}()

func methodName(b []byte) string {
	if s, ok := knownMethods[string(b)]; ok {
		return s
	}
	return string(b)
}
