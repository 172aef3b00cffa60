interface List {
  ordered: boolean;
  count: number;
}

const signs: Record<string, string> = { strong: '**', b: '**', em: '*', i: '*', code: '`' };

export class MarkdownWriter {
  readonly #blocks: string[] = [];
  readonly #lists: List[] = [];
  readonly #links: { target: string | null; at: number }[] = [];
  readonly #rows: string[][] = [];
  #inline = '';
  #lead = '';
  #quotes = 0;
  #isPre = false;
  #tables = 0;
  #length = 0;

  /**
   * @param absolute the whole address of a link or image; null leaves it out
   * @param lengthMax characters that are wanted; what follows need not be written
   */
  constructor(
    private readonly absolute: (target: string) => string | null,
    private readonly lengthMax: number,
  ) {}

  get isFull(): boolean {
    return this.#length + this.#inline.length > this.lengthMax;
  }

  text(text: string): void {
    if (this.#isPre) this.#inline += text;
    else {
      const words = text.replace(/\s+/g, ' ');
      this.#inline += /\s/.test(this.#inline.at(-1) ?? ' ') ? words.trimStart() : words;
    }
  }

  open(tag: string, attributes: Record<string, string>): void {
    const heading = /^h([1-6])$/.exec(tag);
    if (heading) return this.#begin(`${'#'.repeat(Number(heading[1]))} `);
    if (tag in signs) return this.#sign(signs[tag]!);
    switch (tag) {
      case 'a':
        this.#links.push({ target: attributes.href ? this.absolute(attributes.href) : null, at: this.#inline.length });
        return;
      case 'img':
        return this.#image(attributes);
      case 'br':
        this.#inline = `${this.#inline.trimEnd()}\n`;
        return;
      case 'hr':
        this.#begin('');
        this.#blocks.push(this.#quoted('---'));
        return;
      case 'ul':
      case 'ol':
        this.#flush();
        this.#lists.push({ ordered: tag === 'ol', count: 0 });
        return;
      case 'li':
        return this.#begin(this.#bullet());
      case 'pre':
        this.#begin('');
        this.#isPre = true;
        return;
      case 'blockquote':
        this.#flush();
        this.#quotes += 1;
        return;
      case 'table':
        this.#flush();
        this.#tables += 1;
        return;
      case 'tr':
        if (this.#tables === 1) this.#rows.push([]);
        return;
      case 'td':
      case 'th':
        return;
      default:
        this.#flushOutsideTable();
    }
  }

  close(tag: string): void {
    if (tag in signs) return this.#sign(signs[tag]!);
    switch (tag) {
      case 'a':
        return this.#link();
      case 'ul':
      case 'ol':
        this.#flush();
        this.#lists.pop();
        return;
      case 'pre':
        this.#code();
        return;
      case 'blockquote':
        this.#flush();
        this.#quotes = Math.max(0, this.#quotes - 1);
        return;
      case 'td':
      case 'th':
        return this.#cell();
      case 'table':
        this.#tables = Math.max(0, this.#tables - 1);
        if (this.#tables === 0) this.#table();
        return;
      case 'tr':
      case 'img':
      case 'br':
      case 'hr':
        return;
      default:
        this.#flushOutsideTable();
    }
  }

  finish(): string {
    if (this.#isPre) this.#code();
    if (this.#tables > 0) {
      this.#tables = 1;
      this.#cell();
      this.close('table');
    }
    this.#flush();
    return this.#blocks
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #begin(lead: string): void {
    this.#flushOutsideTable();
    if (this.#tables === 0) this.#lead = lead;
  }

  #bullet(): string {
    const list = this.#lists.at(-1) ?? { ordered: false, count: 0 };
    list.count += 1;
    return `${'  '.repeat(Math.max(0, this.#lists.length - 1))}${list.ordered ? `${list.count}.` : '-'} `;
  }

  #sign(sign: string): void {
    if (this.#isPre) return;
    if (this.#inline.endsWith(sign)) this.#inline = this.#inline.slice(0, -sign.length);
    else this.#inline += sign;
  }

  #image({ src = '', alt = '' }: Record<string, string>): void {
    const target = this.absolute(src);
    if (target && !this.#isPre) this.#inline += `![${alt.replace(/[[\]\s]+/g, ' ').trim()}](${target})`;
  }

  #link(): void {
    const link = this.#links.pop();
    if (!link || this.#isPre) return;
    const label = this.#inline.slice(link.at).trim();
    if (label === '' || link.target === null || link.at > this.#inline.length) return;
    this.#inline = `${this.#inline.slice(0, link.at)}[${label.replace(/\n/g, ' ')}](${link.target})`;
  }

  #code(): void {
    const code = this.#inline.replace(/^\n/, '').trimEnd();
    this.#inline = '';
    this.#isPre = false;
    if (code !== '') this.#push(`\`\`\`\n${code}\n\`\`\``);
  }

  #cell(): void {
    if (this.#tables !== 1) return;
    this.#length += this.#inline.length;
    this.#rows.at(-1)?.push(
      this.#inline
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replaceAll('|', '\\|'),
    );
    this.#inline = '';
  }

  #table(): void {
    const rows = this.#rows.splice(0).filter((row) => row.some((cell) => cell !== ''));
    const columns = rows.reduce((most, { length }) => Math.max(most, length), 0);
    // One column, or one row, is a layout and no table.
    if (columns < 2 || rows.length < 2) return rows.flat().forEach((cell) => this.#push(cell));
    // A row without words has its bars all the same, so that this many fill the answer.
    const lines = rows
      .slice(0, Math.ceil(this.lengthMax / columns))
      .map((row) => `| ${Array.from({ length: columns }, (_, n) => row[n] ?? '').join(' | ')} |`);
    lines.splice(1, 0, `|${' --- |'.repeat(columns)}`);
    this.#push(lines.join('\n'));
  }

  #flushOutsideTable(): void {
    if (this.#tables === 0) this.#flush();
    else if (this.#inline !== '') this.#inline = `${this.#inline.trimEnd()} `;
  }

  #flush(): void {
    const text = this.#inline.trim();
    this.#inline = '';
    this.#links.length = 0;
    if (text === '') return;
    const lead = this.#lead;
    this.#lead = '';
    this.#push(lead + text, lead.trimStart() !== lead || /^(-|\d+\.) $/.test(lead));
  }

  /** @param tight an item of a list follows the previous one without a blank line */
  #push(block: string, tight = false): void {
    const before = this.#blocks.at(-1);
    if (before !== undefined && !(tight && /^[> ]*(-|\d+\.) /.test(before))) this.#blocks.push('');
    const quoted = this.#quoted(block);
    this.#blocks.push(quoted);
    this.#length += quoted.length;
  }

  #quoted(block: string): string {
    if (this.#quotes === 0) return block;
    return block.replace(/^/gm, '> '.repeat(this.#quotes));
  }
}
