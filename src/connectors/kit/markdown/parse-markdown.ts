import MarkdownIt, { type Token } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import type { Block, Inline, ListItem, Placed, TableRow } from './document.ts';
import { readInlines } from './read-inlines.ts';

/** Deeper lists and quotes stay text. */
const MAX_NESTING = 20;

/**
 * CommonMark, with tables and `~~strike~~`, with emphasis next to characters of languages without spaces, and with bare
 * addresses, which stay whole. HTML is text. So are definitions of references, which would vanish, and lines that are
 * underlined: `---` is a rule. Escaped characters stay apart from others.
 */
const PARSER = new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_NESTING })
  .use(cjkFriendly)
  .disable(['reference', 'lheading', 'html_block', 'html_inline', 'text_join']);
PARSER.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
// Addresses are not followed here, and nothing is run: what people get is what was written.
PARSER.validateLink = () => true;
PARSER.normalizeLink = (url) => url;

const LANGUAGE = /^[\w+#.-]{1,40}$/;

/**
 * Reads a text as agents and models write it. The specification's common subset counts before CommonMark where they
 * differ: one star is bold (`*bold*`), stars inside of a word or number are no marks (`2*3*4`), and names with underscores
 * around them stay as they are (`__init__`).
 */
export function parseMarkdown(text: string): readonly Placed[] {
  return new BlockReader(PARSER.parse(text, {})).blocks();
}

/** Reads the flat list of the parser's block tokens into a tree. */
class BlockReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  /** The line after the last one that was read. */
  #line = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Reads up to the end of the block that contains them. */
  blocks(): Placed[] {
    return this.#all((token) => ({ emptyLines: this.#skipTo(token), block: this.#block(token) }));
  }

  #all<T>(read: (token: Token) => T): T[] {
    const all: T[] = [];
    for (let token = this.#next(); token !== undefined && token.nesting >= 0; token = this.#next())
      all.push(read(token));
    return all;
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at++];
  }

  /** Returns the number of empty lines before a block. */
  #skipTo({ map }: Token): number {
    const line = map?.[0] ?? this.#line;
    const emptyLines = Math.max(0, line - this.#line);
    this.#line = line;
    return emptyLines;
  }

  #block(token: Token): Block {
    switch (token.type) {
      case 'blockquote_open':
        return { type: 'quote', blocks: this.blocks() };
      case 'bullet_list_open':
      case 'ordered_list_open':
        return { type: 'list', items: this.#all((item) => this.#item(item)) };
      default:
        return this.#leaf(token);
    }
  }

  #item(token: Token): ListItem {
    const { info, markup } = token;
    const emptyLines = this.#skipTo(token);
    return { marker: `${info}${markup}`, isNumbered: info !== '', emptyLines, blocks: this.blocks() };
  }

  /** Only leaves end where their map does: what follows a container's last leaf may be empty lines. */
  #leaf(token: Token): Block {
    this.#line = token.map?.[1] ?? this.#line;
    switch (token.type) {
      case 'heading_open':
        return { type: 'heading', level: Number(token.tag.slice(1)), content: this.#content() };
      case 'fence':
      case 'code_block':
        return codeIn(token);
      case 'table_open':
        return { type: 'table', rows: this.#rows() };
      case 'hr':
        return { type: 'rule' };
      default:
        return { type: 'paragraph', level: 0, content: this.#content() };
    }
  }

  /** Reads what is between the opening token of a leaf and its closing one. */
  #content(): Inline[] {
    const content = readInlines(this.#next()?.children ?? []);
    this.#at++;
    return content;
  }

  #rows(): TableRow[] {
    const rows: Inline[][][] = [];
    for (let token = this.#next(); token && token.type !== 'table_close'; token = this.#next()) {
      if (token.type === 'tr_open') rows.push([]);
      if (token.type === 'inline') rows.at(-1)?.push(readInlines(token.children ?? []));
    }
    return rows;
  }
}

/** What stands beside the language is shown as the first line. */
function codeIn({ info, content }: Token): Block {
  const [first = '', ...others] = info.trim().split(/\s+/);
  const isLanguage = LANGUAGE.test(first);
  const beside = isLanguage ? others.join(' ') : info.trim();
  const lines = [...(beside === '' ? [] : [beside]), content.replace(/\n$/, '')];
  return { type: 'code', language: isLanguage ? first : '', text: lines.join('\n') };
}
