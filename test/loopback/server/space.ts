import { randomUUID } from 'node:crypto';
import type { Account } from './accounts.ts';
import type { FileFacts } from './stored-files.ts';
import { notFound, VendorError } from './vendor-error.ts';

/** The vendor's own limit, in characters. */
const MAX_TEXT = 2_000;

/** A message in a space. */
export interface Message {
  readonly id: string;
  readonly space: { readonly id: string; readonly kind: 'direct' | 'channel'; readonly name: string };
  /** Id of the message that began the thread; null outside of threads. */
  readonly thread: string | null;
  readonly author: { readonly id: string; readonly name: string };
  readonly text: string;
  readonly files: readonly FileFacts[];
  readonly sent_at: string;
}

/** The parts of a message that its author chooses. */
export interface Draft {
  readonly text: string;
  readonly thread?: string | null;
  readonly files?: readonly FileFacts[];
  /** A second message with the same one is the first. */
  readonly nonce?: string;
}

/** A direct conversation of two, or a channel. */
export class Space {
  readonly id = randomUUID();
  readonly kind: 'direct' | 'channel';
  readonly name: string;
  readonly members: readonly Account[];
  readonly messages: Message[] = [];
  /** Names of those who were seen typing, in order. */
  readonly typing: string[] = [];
  /** The space refuses these texts, in these words. */
  readonly refusals = new Map<string, string>();
  /** Nobody can write here any more. */
  isGone = false;
  readonly #byNonce = new Map<string, Message>();
  readonly #tell: (type: 'message' | 'edited', message: Message, to: Account) => void;

  constructor(
    shape: { readonly kind: Space['kind']; readonly name: string; readonly members: readonly Account[] },
    tell: (type: 'message' | 'edited', message: Message, to: Account) => void,
  ) {
    this.kind = shape.kind;
    this.name = shape.name;
    this.members = shape.members;
    this.#tell = tell;
  }

  /** Throws VendorError when the vendor does not take the message. */
  write(author: Account, { text, thread = null, files = [], nonce }: Draft): Message {
    const earlier = nonce === undefined ? undefined : this.#byNonce.get(`${author.id} ${nonce}`);
    if (earlier !== undefined) return earlier;
    this.#check(author, text, thread);
    if (text === '' && files.length === 0) throw new VendorError(400, 'empty', 'The message is empty');
    const message: Message = {
      id: randomUUID(),
      space: { id: this.id, kind: this.kind, name: this.name },
      thread,
      author: { id: author.id, name: author.name },
      text,
      files,
      sent_at: new Date().toISOString(),
    };
    this.messages.push(message);
    if (nonce !== undefined) this.#byNonce.set(`${author.id} ${nonce}`, message);
    this.#tellOthers('message', author, message);
    return message;
  }

  edit(author: Account, id: string, text: string): Message {
    const at = this.messages.findIndex((message) => message.id === id && message.author.id === author.id);
    const before = this.messages[at];
    if (before === undefined) throw notFound('message');
    const message = { ...before, text };
    this.messages[at] = message;
    this.#tellOthers('edited', author, message);
    return message;
  }

  #check(author: Account, text: string, thread: string | null): void {
    if (!this.members.includes(author) || this.isGone) throw notFound('space');
    if (thread !== null && !this.messages.some(({ id }) => id === thread)) throw notFound('thread');
    if (text.length > MAX_TEXT)
      throw new VendorError(400, 'too_long', `A message has at most ${MAX_TEXT} characters`);
    const refusal = this.refusals.get(text);
    if (refusal !== undefined) throw new VendorError(403, 'refused', refusal);
  }

  #tellOthers(type: 'message' | 'edited', author: Account, message: Message): void {
    for (const member of this.members) if (member !== author) this.#tell(type, message, member);
  }
}
