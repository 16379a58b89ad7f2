/** A text in Markdown, as a tree. */
export type Block =
  /** `level`: 1 to 6; 0: a paragraph. */
  | { readonly type: 'paragraph' | 'heading'; readonly level: number; readonly content: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Placed[] }
  | { readonly type: 'list'; readonly items: readonly ListItem[] }
  | { readonly type: 'table'; readonly rows: readonly TableRow[] }
  | { readonly type: 'rule' };

/** A block, with the number of empty lines before it in the source. */
export interface Placed {
  readonly block: Block;
  readonly emptyLines: number;
}

export interface ListItem {
  /** As it was written: `-`, `*`, `1.`, `1)`. */
  readonly marker: string;
  readonly isNumbered: boolean;
  readonly emptyLines: number;
  readonly blocks: readonly Placed[];
}

/** The content of each cell. */
export type TableRow = readonly (readonly Inline[])[];

export type Inline =
  /** `isLiteral`: it has characters that would be marks, were they not escaped. */
  | { readonly type: 'text'; readonly text: string; readonly isLiteral: boolean }
  | { readonly type: 'break' }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: MarkType; readonly content: readonly Inline[] }
  /** An address that stands for itself, or has a text. */
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'link'; readonly url: string; readonly content: readonly Inline[] };

export type MarkType = 'bold' | 'italic' | 'strike';

/** Returns the words of a content, without marks, and without the addresses of links. */
export function wordsOf(content: readonly Inline[]): string {
  return content
    .map((inline) => {
      if (inline.type === 'break') return ' ';
      if (inline.type === 'url') return inline.url;
      return 'content' in inline ? wordsOf(inline.content) : inline.text;
    })
    .join('');
}

/** Returns a content as text that says all of it, for places without links. */
export function plainOf(content: readonly Inline[]): string {
  return content
    .map((inline) => {
      if (inline.type === 'link') return withAddress(plainOf(inline.content), inline.url);
      return 'content' in inline ? plainOf(inline.content) : wordsOf([inline]);
    })
    .join('');
}

/** Words, and the address behind them. */
export function withAddress(words: string, url: string): string {
  return words === url ? url : `${words} (${url})`;
}
