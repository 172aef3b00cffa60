/** Changes by place: what was there in red, what comes in green; both are also said in words. */
export function Diff({
  changes,
  words,
}: {
  changes: readonly { path: string; before: string | null; after: string | null }[];
  words: { before: string; after: string };
}) {
  return (
    <ul className="flex flex-col gap-2">
      {changes.map(({ path, before, after }) => (
        <li key={path} className="overflow-hidden rounded-md border border-line">
          <p className="border-b border-line bg-ground px-2.5 py-1 font-mono text-xs text-soft wrap-anywhere">{path}</p>
          {before !== null && <Side sign="−" word={words.before} text={before} className="bg-bad-soft" />}
          {after !== null && <Side sign="+" word={words.after} text={after} className="bg-good-soft" />}
        </li>
      ))}
    </ul>
  );
}

function Side({ sign, word, text, className }: { sign: string; word: string; text: string; className: string }) {
  return (
    <div className={`flex gap-2 px-2.5 py-1 ${className}`}>
      <span aria-hidden="true" className="font-mono text-xs">
        {sign}
      </span>
      <span className="sr-only">{word}</span>
      <pre className="min-w-0 flex-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">{text}</pre>
    </div>
  );
}
