import { match } from '../../../base/match.ts';
import { type Block, type Inline, type ListItem, type MarkType, type Placed, wordsOf } from './document.ts';
import { drawnTable } from './drawn-table.ts';

/** What stands on either side of a mark: a character, or '' at the beginning and end of a line. */
export interface Edges {
  readonly before: string;
  readonly after: string;
}

/** How a platform writes formatted text. `T`: a string, or whatever text with formats is there. */
export interface Dialect<T> {
  /** What belongs to the form of the text: line ends, bullets. */
  structure(text: string): T;
  /** `isLiteral`: as in Inline. */
  text(text: string, isLiteral: boolean, edges: Edges): T;
  join(parts: readonly T[]): T;
  mark(type: MarkType, content: T, edges: Edges): T;
  code(text: string): T;
  /** `words`: the content without marks. */
  link(content: T, url: string, words: string): T;
  url(url: string): T;
  /** Each of its lines gets `indent`, where the platform reads lists by their indentation. */
  codeBlock(language: string, text: string, indent: string): T;
  /** Wraps the blocks of a quote. Null: each line begins with `> `. */
  readonly quote: ((content: T) => T) | null;
  /** The deepest headings that there are; others are bold lines. 0: there are none. */
  readonly headings: number;
  /** Begins an item of a list without numbers. */
  readonly bullet: string;
  readonly rule: string;
  /** Whether marks end with the line. */
  readonly marksEndWithLine: boolean;
}

/** Writes a document as a platform does. Lines and empty lines stay as they were written. */
export function render<T>(dialect: Dialect<T>, document: readonly Placed[]): T {
  return new Renderer(dialect).blocks(document, '', true);
}

class Renderer<T> {
  readonly #dialect: Dialect<T>;

  constructor(dialect: Dialect<T>) {
    this.#dialect = dialect;
  }

  /** `indent` begins each line but the first. */
  blocks(placed: readonly Placed[], indent: string, isTop: boolean): T {
    const parts = placed.flatMap(({ block, emptyLines }, index) => {
      const lines = index === 0 ? (isTop ? 0 : emptyLines) : emptyLines + 1;
      return [this.#lines(lines, indent), this.#block(block, indent)];
    });
    return this.#dialect.join(parts);
  }

  #lines(count: number, indent: string): T {
    return this.#dialect.structure(`\n${indent}`.repeat(count));
  }

  #block(block: Block, indent: string): T {
    const dialect = this.#dialect;
    return match(block, 'type', {
      paragraph: (block) => this.#inlines(block.content, indent),
      heading: (block) => this.#heading(block.level, block.content, indent),
      code: (block) => dialect.codeBlock(block.language, block.text, indent),
      table: (block) => dialect.codeBlock('', drawnTable(block.rows), indent),
      rule: () => dialect.structure(dialect.rule),
      quote: (block) => {
        if (dialect.quote !== null) return dialect.quote(this.blocks(block.blocks, indent, true));
        return dialect.join([dialect.structure('> '), this.blocks(block.blocks, `${indent}> `, true)]);
      },
      list: (block) => dialect.join(block.items.map((item, index) => this.#item(item, indent, index === 0))),
    });
  }

  #heading(level: number, content: readonly Inline[], indent: string): T {
    const dialect = this.#dialect;
    if (level > dialect.headings) return this.#marked('bold', withoutBold(content), indent, NO_EDGES);
    return dialect.join([dialect.structure(`${'#'.repeat(level)} `), this.#inlines(content, indent)]);
  }

  #item({ marker, isNumbered, emptyLines, blocks }: ListItem, indent: string, isFirst: boolean): T {
    // An item without content may be no list: a dash, or a number.
    const begin = isNumbered || blocks.length === 0 ? marker : this.#dialect.bullet;
    const inner = `${indent}${' '.repeat(begin.length + 1)}`;
    const lines = this.#lines(isFirst ? 0 : emptyLines + 1, indent);
    return this.#dialect.join([
      lines,
      this.#dialect.structure(blocks.length === 0 ? begin : `${begin} `),
      this.blocks(blocks, inner, true),
    ]);
  }

  #inlines(content: readonly Inline[], indent: string): T {
    const parts = content.map((inline, index) => {
      const edges = { before: lastOf(content[index - 1]), after: firstOf(content[index + 1]) };
      return this.#inline(inline, indent, edges);
    });
    return this.#dialect.join(parts);
  }

  #inline(inline: Inline, indent: string, edges: Edges): T {
    const dialect = this.#dialect;
    const marked = ({ type, content }: Extract<Inline, { type: MarkType }>) =>
      this.#marked(type, content, indent, edges);
    return match(inline, 'type', {
      text: (inline) => dialect.text(inline.text, inline.isLiteral, edges),
      break: () => dialect.structure(`\n${indent}`),
      code: (inline) => dialect.code(inline.text),
      url: (inline) => dialect.url(inline.url),
      link: (inline) =>
        dialect.link(this.#inlines(inline.content, indent), inline.url, wordsOf(inline.content)),
      bold: marked,
      italic: marked,
      strike: marked,
    });
  }

  #marked(type: MarkType, content: readonly Inline[], indent: string, edges: Edges): T {
    const dialect = this.#dialect;
    const lines = dialect.marksEndWithLine ? linesOf(content) : [content];
    const parts = lines.flatMap((line, index) => [
      ...(index === 0 ? [] : [dialect.structure(`\n${indent}`)]),
      ...(line.length === 0
        ? []
        : [
            dialect.mark(type, this.#inlines(line, indent), {
              before: index === 0 ? edges.before : '',
              after: index === lines.length - 1 ? edges.after : '',
            }),
          ]),
    ]);
    return dialect.join(parts);
  }
}

const NO_EDGES: Edges = { before: '', after: '' };

function withoutBold(content: readonly Inline[]): Inline[] {
  return content.flatMap((inline) => {
    if (!('content' in inline)) return [inline];
    const inner = withoutBold(inline.content);
    return inline.type === 'bold' ? inner : [{ ...inline, content: inner }];
  });
}

function linesOf(content: readonly Inline[]): Inline[][] {
  const lines: Inline[][] = [[]];
  for (const inline of content) {
    if (inline.type === 'break') lines.push([]);
    else lines.at(-1)?.push(inline);
  }
  return lines;
}

function lastOf(inline: Inline | undefined): string {
  return inline === undefined ? '' : ([...wordsOf([inline])].at(-1) ?? '');
}

function firstOf(inline: Inline | undefined): string {
  return inline === undefined ? '' : ([...wordsOf([inline])].at(0) ?? '');
}
