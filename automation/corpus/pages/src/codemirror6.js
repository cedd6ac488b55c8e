import { basicSetup, EditorView } from "codemirror";
import { javascript } from "@codemirror/lang-javascript";

window.editor = new EditorView({
  doc: "// Says hello.\nfunction greet(name) {\n  return `Hello, ${name}`;\n}\n",
  extensions: [basicSetup, javascript()], parent: document.getElementById("editor"),
});
