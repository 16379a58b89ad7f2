import type { Token } from 'markdown-it';
import { type Inline, type MarkType, wordsOf } from './document.ts';

const WORD = /[\p{L}\p{N}]/u;
/** Languages without spaces between words: marks may touch their characters. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Reads the tokens of a line of text into a tree. */
export function readInlines(tokens: readonly Token[]): Inline[] {
  return new InlineReader(tokens).content(null);
}

class InlineReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Reads up to the closing token of what contains them. */
  content(closing: string | null): Inline[] {
    const content: Inline[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      this.#at++;
      if (token.type === closing) break;
      content.push(...this.#inline(token, this.#at));
    }
    return content;
  }

  #inline(token: Token, from: number): Inline[] {
    switch (token.type) {
      case 'text':
      case 'text_special':
        return token.content === ''
          ? []
          : [{ type: 'text', text: token.content, isLiteral: token.info === 'escape' }];
      case 'softbreak':
      case 'hardbreak':
        return [{ type: 'break' }];
      case 'code_inline':
        return [codeOf(token)];
      case 'image':
        return [link(`${token.attrGet('src') ?? ''}`, readInlines(token.children ?? []))];
      case 'link_open':
        return [this.#link(token)];
      case 'strong_open':
      case 'em_open':
      case 's_open':
        return this.#marked(token, from);
      default:
        return [{ type: 'text', text: token.content, isLiteral: false }];
    }
  }

  #link(token: Token): Inline {
    const content = this.content('link_close');
    const url = `${token.attrGet('href') ?? ''}`;
    // What was written, not what it stands for: `<a@b.c>` stands for `mailto:a@b.c`.
    return token.info === 'auto' ? { type: 'url', url: content.map(textOf).join('') } : link(url, content);
  }

  #marked(token: Token, from: number): Inline[] {
    const content = this.content(token.type.replace('_open', '_close'));
    const isMark = token.markup === '__' ? !isName(content) : this.#standsApart(token, from, this.#at);
    if (isMark) return content.length === 0 ? [] : [{ type: markOf(token, content), content }];
    const marks: Inline = { type: 'text', text: token.markup, isLiteral: true };
    return [marks, ...content, marks];
  }

  /** Whether stars do not touch what would make them part of a word, or of a calculation. */
  #standsApart({ markup }: Token, from: number, to: number): boolean {
    const before = textOf(this.#tokens[from - 2]).at(-1) ?? '';
    const after = textOf(this.#tokens[to]).at(0) ?? '';
    if (markup === '*') return !touches(before) && !touches(after);
    return markup !== '**' || !/\d/.test(before) || !/\d/.test(after);
  }
}

/** Programs have names such as `__init__`. */
function isName(content: readonly Inline[]): boolean {
  const [first, ...others] = content;
  return others.length === 0 && first?.type === 'text' && /^\w+$/.test(first.text);
}

function touches(character: string): boolean {
  return WORD.test(character) && !SPACELESS.test(character);
}

/** One star is bold, as the specification has it; one underscore is italic. Three stars are both. */
function markOf({ type, markup }: Token, content: readonly Inline[]): MarkType {
  if (type === 's_open') return 'strike';
  const [first, ...others] = content;
  const isAroundBold = markup === '*' && others.length === 0 && first?.type === 'bold';
  return markup === '_' || isAroundBold ? 'italic' : 'bold';
}

/** Backticks around a space alone would leave nothing visible. */
function codeOf({ content, markup }: Token): Inline {
  return content.trim() === ''
    ? { type: 'text', text: `${markup}${content}${markup}`, isLiteral: true }
    : { type: 'code', text: content };
}

function link(url: string, content: readonly Inline[]): Inline {
  if (url === '') return { type: 'text', text: `[${wordsOf(content)}]()`, isLiteral: true };
  return content.length === 0 ? { type: 'url', url } : { type: 'link', url, content };
}

function textOf(piece: Token | Inline | undefined): string {
  if (piece === undefined) return '';
  if ('content' in piece && typeof piece.content === 'string') return piece.content;
  return 'text' in piece ? piece.text : '';
}
