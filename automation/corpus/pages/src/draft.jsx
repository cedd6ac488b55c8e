import { useState } from "react";
import { createRoot } from "react-dom/client";
import { ContentState, Editor, EditorState, RichUtils } from "draft-js";

function App() {
  const [state, setState] = useState(() => EditorState.createWithContent(ContentState.createFromText("Dear all,\nthe meeting is on Monday.")));
  window.text = state.getCurrentContent().getPlainText();
  return (
    <>
      <div><span className="style-button" style={{ cursor: "pointer" }} onMouseDown={(e) => { e.preventDefault(); setState(RichUtils.toggleInlineStyle(state, "BOLD")); }}>Bold</span></div>
      <Editor editorState={state} onChange={setState} placeholder="Tell a story..." />
      <p id="log">{`${window.text.length} characters`}</p>
    </>
  );
}
createRoot(document.getElementById("root")).render(<App />);
