/**
 * The text of a reply as its stream brings it: by deltas, or by the events that end a part or an item, which repeat what
 * the deltas brought. Copies of the API give several items the same id and place, or one item several; but they write
 * one item after another, so what an ending event repeats is what came last. Nothing is told twice.
 */
export class StreamedText {
  readonly #tell: (part: string) => void;
  #whole = '';
  /** Where in the whole the item begins that is being written, and its part. */
  #itemAt = 0;
  #partAt = 0;
  #contentIndex: number | undefined;
  #hasDeltas = false;

  constructor(tell: (part: string) => void) {
    this.#tell = tell;
  }

  get whole(): string {
    return this.#whole;
  }

  /** A message begins. */
  beginItem(): void {
    this.#itemAt = this.#whole.length;
    this.beginPart(undefined);
  }

  beginPart(contentIndex: number | undefined): void {
    this.#partAt = this.#whole.length;
    this.#contentIndex = contentIndex;
    this.#hasDeltas = false;
  }

  delta(text: string, contentIndex: number | undefined): void {
    this.#moveTo(contentIndex);
    this.#hasDeltas = true;
    this.#say(text);
  }

  /** A part has ended, with this text. Parts may end after the last of them was written. */
  endPart(text: string, contentIndex: number | undefined): void {
    if (contentIndex !== undefined && contentIndex < (this.#contentIndex ?? 0)) return;
    this.#moveTo(contentIndex);
    const known = this.#whole.slice(this.#partAt);
    if (known.startsWith(text)) return;
    if (text.startsWith(known)) return this.#say(text.slice(known.length));
    // Where deltas differ from it, they count.
    if (this.#hasDeltas) return;
    this.beginPart(contentIndex);
    this.#say(text);
  }

  /** A message has ended, with this text. */
  endItem(text: string): void {
    const known = this.#whole.slice(this.#itemAt);
    if (known.startsWith(text)) {
      this.#itemAt += text.length;
      this.#partAt = this.#itemAt;
    } else if (text.startsWith(known)) {
      this.#say(text.slice(known.length));
      this.beginItem();
    }
  }

  /** The reply has ended, with this text. */
  end(text: string): void {
    if (text.startsWith(this.#whole)) this.#say(text.slice(this.#whole.length));
  }

  #moveTo(contentIndex: number | undefined): void {
    if (contentIndex === undefined || contentIndex === this.#contentIndex) return;
    if (this.#contentIndex === undefined) this.#contentIndex = contentIndex;
    else this.beginPart(contentIndex);
  }

  #say(text: string): void {
    if (text === '') return;
    this.#whole += text;
    this.#tell(text);
  }
}
