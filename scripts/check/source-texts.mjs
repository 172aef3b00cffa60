import { createRequire } from 'node:module';

/** Required, since an import takes a second longer: Node.js first searches these nine megabytes for export names. */
const ts = /** @type {typeof import('typescript')} */ (createRequire(import.meta.url)('typescript'));

/**
 * @typedef {import('typescript').Node} Node
 * @typedef {'summary' | 'description' | 'rule' | 'refusal' | 'contract text' | 'docstring' | 'comment' | 'test name' | 'log message'} Kind
 * @typedef {{ kind: Kind, line: number, text: string, lineOf(at: number): number }} Text
 * @typedef {{ name: string, isType: boolean, line: number }} Declaration
 * @typedef {{ texts: Text[], declarations: Declaration[], spreads: number[], tools: string[] }} Source
 */

const { SyntaxKind } = ts;
const logLevels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal']);
const testCalls = /^(it|test|describe)\b/;

/**
 * Reads a TypeScript or JavaScript file: the texts that people read, the names that it declares, spreads of an object
 * literal (their lines), and the tools that it defines.
 * @param {string} file its path in the repository, which decides what its strings are @param {string} code
 * @returns {Source}
 */
export function readSource(file, code) {
  const kind = file.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone };
  const tree = ts.createSourceFile(file, code, options, false, kind);
  /** @type {Source} */
  const source = { texts: [], declarations: [], spreads: [], tools: [] };
  const lineAt = (/** @type {number} */ at) => tree.getLineAndCharacterOfPosition(at).line + 1;
  const contract = /^libs\/contracts\/src\/(?!.*\.spec\.ts$)/.test(file);
  /** @type {[from: number, to: number][]} */
  const literals = [];
  const add = (/** @type {Kind} */ kind, /** @type {Node} */ node) => {
    const line = lineAt(node.getStart(tree));
    source.texts.push({ kind, line, text: render(node), lineOf: () => line });
  };

  const visit = (/** @type {Node} */ node, /** @type {Kind | undefined} */ kind) => {
    if (isPiece(node)) literals.push([node.getStart(tree), node.end]);
    const declared = declarationOf(node);
    if (declared) source.declarations.push({ ...declared, line: lineAt(declared.at) });
    if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
      source.spreads.push(lineAt(node.getStart(tree)));
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) {
      const { text } = node.name;
      if (text === 'example') kind = undefined;
      else if (kind && text === 'summary') kind = 'summary';
      else if (kind && text === 'rules') kind = 'rule';
    }
    if (ts.isImportDeclaration(node)) return;
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : '';
      if (kind && name === 'describe') kind = 'description';
      if (logLevels.has(name) && /\blog(?:ger)?\.\w+$/.test(node.expression.getText(tree)))
        for (const one of node.arguments) if (isText(one)) add('log message', one);
      if (first && isText(first) && testCalls.test(node.expression.getText(tree))) add('test name', first);
      if (contract && ts.isIdentifier(node.expression) && node.expression.text === 'defineTools')
        source.tools.push(...keysOf(node.arguments[1], tree));
    }
    if (kind && isText(node) && /\w+ \S+ \S/.test(render(node))) {
      add(kind, node);
      kind = undefined;
    }
    ts.forEachChild(node, (child) => visit(child, kind));
  };
  visit(tree, !contract ? undefined : file.includes('/reasons/') ? 'refusal' : 'contract text');
  source.texts.push(...commentsOf(code, literals, lineAt));
  return source;
}

/** A literal, or the part of a template between two expressions: nothing in it is a comment. @param {Node} node */
const isPiece = (node) => node.kind >= SyntaxKind.FirstLiteralToken && node.kind <= SyntaxKind.LastTemplateToken;

/** @param {Node} node */
const isText = (node) =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) &&
    node.operatorToken.kind === SyntaxKind.PlusToken &&
    [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side)));

/** The text as a reader sees it at its longest; X in the place of values. @param {Node} node @returns {string} */
function render(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map((span) => render(span.expression) + span.literal.text).join('');
  if (ts.isParenthesizedExpression(node)) return render(node.expression);
  if (ts.isConditionalExpression(node)) return longer(render(node.whenTrue), render(node.whenFalse));
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [render(node.left), render(node.right)];
    return node.operatorToken.kind === SyntaxKind.PlusToken ? left + right : longer(left, right);
  }
  return 'X';
}
/** @param {string} one @param {string} other */
const longer = (one, other) => (other.length > one.length ? other : one);

/** @param {Node} node @returns {{ name: string, isType: boolean, at: number } | undefined} */
function declarationOf(node) {
  const isType = ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  const isValue =
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isEnumDeclaration(node);
  if (!(isType || isValue) || !node.name || !ts.isIdentifier(node.name)) return undefined;
  return { name: node.name.text, isType, at: node.name.end };
}

/** @param {Node | undefined} node @param {import('typescript').SourceFile} tree */
const keysOf = (node, tree) =>
  node && ts.isObjectLiteralExpression(node) ? node.properties.flatMap(({ name }) => name?.getText(tree) ?? []) : [];

/**
 * Every comment; lines of `//` that follow each other are one text. Offsets in a text are offsets in the file.
 * @param {string} code @param {[from: number, to: number][]} literals @param {(at: number) => number} lineAt
 * @returns {Text[]}
 */
function commentsOf(code, literals, lineAt) {
  let bare = '';
  for (const [from, to] of literals) bare += code.slice(bare.length, from) + ' '.repeat(to - from);
  bare += code.slice(bare.length);
  return [...bare.matchAll(/\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*(?:\n[ \t]*(?=\/\/))?)+/g)].map(({ 0: text, index }) => ({
    kind: text.startsWith('/**') ? /** @type {const} */ ('docstring') : /** @type {const} */ ('comment'),
    line: lineAt(index),
    text: text
      .replace(/^\/\*\*?|\*\/$|^[ \t]*(?:\*(?!\/)|\/\/)/gm, (mark) => ' '.repeat(mark.length))
      .replace(/\{@link (\w+)\}/g, 'X')
      .replace(/@\w+ \{[^\n]*?\} ?\[?\w+\]?|@\w+( \w+)?/g, (tag) => '\n\n'.padEnd(tag.length)),
    lineOf: (at) => lineAt(index + at),
  }));
}
