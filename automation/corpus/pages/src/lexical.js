import { $createParagraphNode, $createTextNode, $getRoot, createEditor, FORMAT_TEXT_COMMAND } from "lexical";
import { $createHeadingNode, HeadingNode, QuoteNode, registerRichText } from "@lexical/rich-text";
import { createEmptyHistoryState, registerHistory } from "@lexical/history";

const editor = createEditor({ namespace: "corpus", nodes: [HeadingNode, QuoteNode], onError(e) { throw e; } });
editor.setRootElement(document.getElementById("editor"));
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.update(() => {
  const heading = $createHeadingNode("h3");
  heading.append($createTextNode("Welcome to Lexical"));
  const text = $createParagraphNode();
  text.append($createTextNode("This is a "), $createTextNode("rich").toggleFormat("bold"), $createTextNode(" text field."));
  $getRoot().append(heading, text);
}, { discrete: true });
document.getElementById("bold").onclick = () => editor.dispatchCommand(FORMAT_TEXT_COMMAND, "bold");
window.editor = editor;
