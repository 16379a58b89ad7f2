/** What may stand out in a message. */
export type Mark = 'bold' | 'italic' | 'struck' | 'code';

/** What a person sees of a message. */
export interface Seen {
  readonly text: string;
  readonly marked: Readonly<Record<Mark, readonly string[]>>;
  /** Behind words; an address that is itself to be seen is in the text. */
  readonly urls: readonly string[];
}

/** Collects what a parser reads. */
export class Sight implements Seen {
  text = '';
  readonly marked: Record<Mark, string[]> = { bold: [], italic: [], struck: [], code: [] };
  readonly urls: string[] = [];

  /** `mark` null: what `read` reads stands out in no way that matters. */
  within(mark: Mark | null, read: () => void): void {
    const from = this.text.length;
    read();
    if (mark !== null) this.marked[mark].push(this.text.slice(from));
  }
}

/** Words and the addresses behind them. */
export function wholeOf({ text, urls }: Seen): string {
  return [text, ...urls].join('\n');
}
