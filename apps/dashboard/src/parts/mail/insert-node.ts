import type { Editor, JSONContent } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';

/** Inserts a node and selects it, so that its fields show. A node that is selected stays before it. */
export function insertNode(editor: Editor, node: JSONContent): void {
  const { selection } = editor.state;
  const from = selection instanceof NodeSelection ? selection.to : selection.from;
  if (selection instanceof NodeSelection) editor.chain().focus().insertContentAt(from, node).run();
  else editor.chain().focus().insertContent(node).run();
  let found: number | null = null;
  editor.state.doc.nodesBetween(
    Math.max(0, selection instanceof NodeSelection ? from : from - 2),
    editor.state.doc.content.size,
    (one, at) => {
      if (found === null && one.type.name === node.type) found = at;
    },
  );
  if (found !== null) editor.commands.setNodeSelection(found);
}

/** Changes attributes of the node that is selected, and keeps it selected. */
export function changeNode(editor: Editor, attributes: Record<string, string | number | null>): void {
  const { from } = editor.state.selection;
  const { tr } = editor.state;
  for (const [name, value] of Object.entries(attributes)) tr.setNodeAttribute(from, name, value);
  editor.view.dispatch(tr);
  editor.commands.setNodeSelection(from);
}
