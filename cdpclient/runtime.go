package cdpclient

import "encoding/json"

// Commands and events of the Runtime domain.
const (
	RuntimeAddBinding                = "Runtime.addBinding"
	RuntimeCallFunctionOn            = "Runtime.callFunctionOn"
	RuntimeEnable                    = "Runtime.enable"
	RuntimeEvaluate                  = "Runtime.evaluate"
	RuntimeReleaseObject             = "Runtime.releaseObject"
	RuntimeRunIfWaitingForDebugger   = "Runtime.runIfWaitingForDebugger"
	RuntimeTerminateExecution        = "Runtime.terminateExecution"
	RuntimeBindingCalled             = "Runtime.bindingCalled"
	RuntimeExecutionContextCreated   = "Runtime.executionContextCreated"
	RuntimeExecutionContextDestroyed = "Runtime.executionContextDestroyed"
	RuntimeExecutionContextsCleared  = "Runtime.executionContextsCleared"
)

// ExecutionContextCreated is the event of that name.
type ExecutionContextCreated struct {
	Context ExecutionContext `json:"context"`
}

// ExecutionContext is one JavaScript world of one document.
type ExecutionContext struct {
	ID       int    `json:"id"` // comes back unchanged when the back/forward cache restores the page
	Origin   string `json:"origin"`
	Name     string `json:"name"` // an isolated world's name
	UniqueID string `json:"uniqueId"`
	AuxData  struct {
		IsDefault bool   `json:"isDefault"`
		Type      string `json:"type"` // "default", "isolated"
		FrameID   string `json:"frameId"`
	} `json:"auxData"`
}

// ExecutionContextDestroyed is the event of that name.
type ExecutionContextDestroyed struct {
	ExecutionContextID int `json:"executionContextId"`
}

// BindingCalled is the event of that name. Payload comes from the page's side: untrusted.
type BindingCalled struct {
	Name               string `json:"name"`
	Payload            string `json:"payload"`
	ExecutionContextID int    `json:"executionContextId"`
}

// AddBindingParams defines a function that raises [BindingCalled]. With a context name it exists only in worlds of
// that name.
type AddBindingParams struct {
	Name                 string `json:"name"`
	ExecutionContextName string `json:"executionContextName,omitempty"`
}

// EvaluateParams is for Runtime.evaluate.
type EvaluateParams struct {
	Expression    string `json:"expression"`
	ContextID     int    `json:"contextId,omitempty"` // 0 is the page's own world
	ReturnByValue bool   `json:"returnByValue,omitempty"`
	AwaitPromise  bool   `json:"awaitPromise,omitempty"`
	Silent        bool   `json:"silent,omitempty"`
	UserGesture   bool   `json:"userGesture,omitempty"`
}

// CallArgument is one argument: any value that encodes as JSON.
type CallArgument struct {
	Value any `json:"value"`
}

// EvaluateResult is the result of Runtime.evaluate and Runtime.callFunctionOn.
type EvaluateResult struct {
	Result           RemoteObject      `json:"result"`
	ExceptionDetails *ExceptionDetails `json:"exceptionDetails,omitempty"`
}

// ExceptionDetails says what a script threw.
type ExceptionDetails struct {
	Text       string        `json:"text"`
	LineNumber int           `json:"lineNumber"`
	Exception  *RemoteObject `json:"exception,omitempty"`
}

// RemoteObject mirrors a JavaScript value. One with an ObjectID stays alive in
// the page until Runtime.releaseObject. The generated type is not used: its
// pointers make every reader check for nil.
type RemoteObject struct {
	Type                string          `json:"type"`
	Subtype             string          `json:"subtype,omitempty"`
	ClassName           string          `json:"className,omitempty"`
	Value               json.RawMessage `json:"value,omitempty"`
	UnserializableValue string          `json:"unserializableValue,omitempty"`
	Description         string          `json:"description,omitempty"`
	ObjectID            string          `json:"objectId,omitempty"`
}

// ReleaseObjectParams is for Runtime.releaseObject.
type ReleaseObjectParams struct {
	ObjectID string `json:"objectId"`
}
