import { type Address, keyOfLogin } from '../../base/address.ts';
import { TooManyAttempts } from '../../base/errors.ts';
import { FairShare, type ReleasePlace } from '../../base/fair-share.ts';
import { KeyedQueue } from '../../base/keyed-queue.ts';
import type { Platform } from '../../base/platform.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { InboundFile, InboundMessage, Intake } from '../../connectors/contract/messenger.ts';
import { deleteRows, insertNewRow } from '../../store/database/rows.ts';
import { countHeld, firstHeld } from '../../store/messages/held-messages.ts';
import type { Store } from '../../store/store.ts';
import { receiversOf } from './receivers.ts';

/** Messages of one place that wait for its voice notes. Those beyond do not. */
const MOST_HELD = 20;
/** Places with a note that is being read; one account has half of them. Notes of others come as files alone. */
const MOST_PLACES = 1_000;
const MARK = '[voice note]';

export interface VoiceNotesDeps {
  readonly platform: Platform;
  readonly store: Store;
  readonly clock: Clock;
  /** Whether an account listens: it has speech-to-text. */
  readonly listens: (accountId: string) => Promise<boolean>;
  /** Returns what is said in a note, within a minute; null: that is not known. Never rejects. */
  readonly read: (note: VoiceNote, signal: AbortSignal) => Promise<string | null>;
  readonly onFailure: (error: unknown) => void;
}

/** A place that holds messages back. */
interface Place {
  count: number;
  readonly leave: ReleasePlace;
}

export interface VoiceNote {
  readonly accountId: string;
  readonly platform: Platform;
  readonly from: Address;
  /** See InboundFile. */
  readonly ref: string;
}

/**
 * Has the voice notes of one platform read before anybody is told of them. Whatever comes after a note in the same place waits
 * for it, so messages keep their order. What is held back is stored, and the next process goes on with it.
 */
export class VoiceNotes {
  readonly #deps: VoiceNotesDeps;
  readonly #held = new Map<string, Place>();
  readonly #places: FairShare;
  readonly #runs = new KeyedQueue();
  readonly #closing = new AbortController();
  #receive: (message: InboundMessage) => Promise<Intake> = async () => 'unbound';

  constructor(deps: VoiceNotesDeps) {
    this.#deps = deps;
    this.#places = new FairShare({
      clock: deps.clock,
      total: MOST_PLACES,
      each: MOST_PLACES,
      keepsRoom: true,
      mostWaiting: 0,
    });
  }

  /** Sets the receiver of messages once they need not wait any more. Called once. */
  onReleased(receive: (message: InboundMessage) => Promise<Intake>): void {
    this.#receive = receive;
  }

  /** Goes on with what an earlier process has held. Call it once the platform is logged in. */
  async start(): Promise<void> {
    for (const { place, accountId, count } of await countHeld(this.#deps.store.db, this.#deps.platform)) {
      this.#held.set(place, { count, leave: this.#places.hold(accountId) });
      this.#release(place);
    }
  }

  /** Keeps a message until it need not wait for a note. Returns false, and does nothing, where that is now. */
  async hold(message: InboundMessage): Promise<boolean> {
    const { platform, store, listens } = this.#deps;
    const place = placeOf(message.from);
    const isFirst = !this.#held.has(place);
    if (isFirst && noteIn(message.files) === null) return false;
    if (!isFirst && this.#held.get(place)!.count >= MOST_HELD) return false;
    const [receiver] = await receiversOf(store.db, platform, message.from, message.alias);
    if (!receiver || (isFirst && !(await listens(receiver.accountId)))) return false;
    const { accountId } = receiver;
    const held = this.#held.get(place) ?? this.#opened(place, accountId);
    if (held === null) return false;
    const id = JSON.stringify([platform, place, message.platformMessageId]);
    const row = { id, accountId, platform, place, inbound: JSON.stringify(message) };
    held.count += 1;
    let isNew = false;
    try {
      // A message that is delivered again is held already.
      isNew = await insertNewRow(store.db, 'heldMessages', row);
    } finally {
      if (!isNew) this.#left(place);
    }
    this.#release(place);
    return true;
  }

  /** Null: the account reads too many notes. */
  #opened(place: string, accountId: string): Place | null {
    const leave = this.#places.takeNow(accountId);
    if (leave === null) return null;
    const opened = { count: 0, leave };
    this.#held.set(place, opened);
    return opened;
  }

  /** What is being read is read by the next process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#runs.settled();
  }

  #release(place: string): void {
    this.#runs.run(place, () => this.#releaseAll(place)).catch(this.#deps.onFailure);
  }

  async #releaseAll(place: string): Promise<void> {
    const { platform, store } = this.#deps;
    const { db } = store;
    for (let held = await firstHeld(db, platform, place); held; held = await firstHeld(db, platform, place)) {
      const message = JSON.parse(held.inbound) as InboundMessage;
      const text = withWords(message.text, await this.#wordsOf(message, held.accountId));
      if (this.#closing.signal.aborted) return;
      await this.#handOver({ ...message, text });
      await deleteRows(db, 'heldMessages', { seq: held.seq });
      this.#left(place);
    }
  }

  #left(place: string): void {
    const held = this.#held.get(place);
    if (!held) return;
    held.count -= 1;
    if (held.count > 0) return;
    held.leave();
    this.#held.delete(place);
  }

  async #wordsOf({ from, files }: InboundMessage, accountId: string): Promise<string | null> {
    const ref = noteIn(files);
    if (ref === null) return null;
    const { platform, read } = this.#deps;
    return await read({ accountId, platform, from, ref }, this.#closing.signal);
  }

  /** The platform has been told that the message is here, so nobody else would send it again. */
  async #handOver(message: InboundMessage): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#receive(message);
        return;
      } catch (error) {
        if (!(error instanceof TooManyAttempts)) throw error;
        await pause(this.#deps.clock, error.retryAfterS * 1_000, this.#closing.signal);
      }
    }
  }
}

/** Returns the reference of a message's voice note. Null: it is something else, or cannot be fetched. */
function noteIn(files: readonly InboundFile[]): string | null {
  const [file, ...others] = files;
  return others.length === 0 && file?.isVoiceNote === true ? file.ref : null;
}

function withWords(text: string, words: string | null): string {
  if (words === null || words === '') return text;
  return [text, `${MARK} ${words}`].filter((each) => each !== '').join('\n');
}

function placeOf({ login, space, thread }: Address): string {
  return JSON.stringify([keyOfLogin(login), space.kind, space.id, thread]);
}
