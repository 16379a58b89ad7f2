import type { ReplyParts } from './reply-lexer.ts';
import { ReplyReader } from './reply-reader.ts';
import type { Tag } from './tags.ts';

/**
 * The first message that a reply writes to its conversation, as far as it has arrived: its text outside tags, or what its
 * first `<write>` has, which takes the place of that. No tag is part of it, nor the beginning of one.
 */
export class WrittenText implements ReplyParts {
  #reader = new ReplyReader(this);
  #outside = '';
  /** Null: no `<write>` has come. */
  #written: string | null = null;
  #isInWrite = false;

  get text(): string {
    return this.#written ?? this.#outside;
  }

  push(part: string): void {
    this.#reader.push(part);
  }

  /** The model begins anew. */
  restart(): void {
    this.#reader = new ReplyReader(this);
    this.#outside = '';
    this.#written = null;
    this.#isInWrite = false;
  }

  outside(text: string): void {
    this.#outside += this.#outside === '' ? text.trimStart() : text;
  }

  /** What quotes, or offers choices, is not shown before it is whole. */
  opened({ name, hasBody, attributes }: Tag): void {
    if (name !== 'write' || !hasBody || this.#written !== null) return;
    this.#written = '';
    this.#isInWrite = attributes.size === 0;
  }

  body(text: string): void {
    if (this.#isInWrite) this.#written += this.#written === '' ? text.trimStart() : text;
  }

  closed(): void {
    this.#isInWrite = false;
  }

  malformed(): void {}
}
