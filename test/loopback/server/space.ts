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
  /** The message that it answers. */
  readonly answers: Pick<Message, 'id' | 'author' | 'text'> | null;
  readonly buttons: readonly string[];
  /** The button that was pressed. */
  readonly pressed: string | null;
}

/** Somebody has reacted to a message, or taken that back. */
interface Reaction {
  readonly message: Message;
  readonly author: Message['author'];
  readonly emoji: string;
  readonly is_added: boolean;
}

export type SpaceEvent =
  | { readonly type: 'message' | 'edited'; readonly message: Message }
  | ({ readonly type: 'reaction' } & Reaction);

type Tell = (event: SpaceEvent, to: Account) => void;

/** The parts of a message that its author chooses. */
export interface Draft {
  readonly text: string;
  readonly thread?: string | null;
  readonly files?: readonly FileFacts[];
  /** A second message with the same one is the first. */
  readonly nonce?: string;
  /** Id of the message that it answers. */
  readonly answers?: string | null;
  readonly buttons?: readonly string[];
  readonly pressed?: string | null;
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
  readonly #tell: Tell;
  /** What each message has, as `<name> <emoji>`. */
  readonly reactions = new Map<string, Set<string>>();

  constructor(
    shape: { readonly kind: Space['kind']; readonly name: string; readonly members: readonly Account[] },
    tell: Tell,
  ) {
    this.kind = shape.kind;
    this.name = shape.name;
    this.members = shape.members;
    this.#tell = tell;
  }

  /** Throws VendorError when the vendor does not take the message. */
  write(author: Account, draft: Draft): Message {
    const { text, thread = null, files = [], nonce, buttons = [], pressed = null } = draft;
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
      answers: this.#answered(draft.answers ?? null),
      buttons,
      pressed,
    };
    this.messages.push(message);
    if (nonce !== undefined) this.#byNonce.set(`${author.id} ${nonce}`, message);
    this.#tellOthers('message', author, message);
    return message;
  }

  react(author: Account, id: string, emoji: string, isAdded: boolean): void {
    const message = this.messages.find((each) => each.id === id);
    if (!message) throw notFound('message');
    const known = this.reactions.get(id) ?? new Set();
    this.reactions.set(id, known);
    if (isAdded) known.add(`${author.name} ${emoji}`);
    else known.delete(`${author.name} ${emoji}`);
    const reaction = { message, author: { id: author.id, name: author.name }, emoji, is_added: isAdded };
    for (const member of this.members)
      if (member !== author) this.#tell({ type: 'reaction', ...reaction }, member);
  }

  #answered(id: string | null): Message['answers'] {
    if (id === null) return null;
    const found = this.messages.find((each) => each.id === id);
    if (!found) throw notFound('message');
    const { author, text } = found;
    return { id, author, text };
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
    for (const member of this.members) if (member !== author) this.#tell({ type, message }, member);
  }
}
