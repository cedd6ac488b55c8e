import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { DOMParser } from "prosemirror-model";
import { schema } from "prosemirror-schema-basic";
import { exampleSetup } from "prosemirror-example-setup";

window.editor = new EditorView(document.getElementById("editor"), {
  state: EditorState.create({ doc: DOMParser.fromSchema(schema).parse(document.getElementById("content")), plugins: exampleSetup({ schema }) }),
});
