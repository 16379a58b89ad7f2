import type { CancelTimer, Clock } from '../../base/time.ts';
import type { LoginNotes } from '../contract/messenger.ts';
import { wholeOf } from './albums.ts';
import type { Reading, ReadMessage } from './update-reading.ts';

/** Time without new parts after which an album is complete. */
const COMPLETE_MS = 1_000;
/** Number of delivered parts to remember, so that parts sent again after a lost acknowledgement are dropped. */
const MAX_REMEMBERED = 1_000;

export interface AlbumBufferDeps {
  /** Key of the login's notes. */
  readonly key: string;
  readonly clock: Clock;
  readonly notes: LoginNotes;
  /** Resolves once the reading is on disk. */
  take(reading: Reading): Promise<void>;
  onFailure(error: unknown): void;
}

/** Parts of an album received so far; never empty. */
type AlbumParts = readonly [ReadMessage, ...ReadMessage[]];

/**
 * Joins the parts of an album received by webhook into one message. Telegram delivers a person's updates one at a time,
 * each after the previous one is acknowledged. So each part is saved to disk first, and the album is delivered when
 * something else arrives from the same person, or after one second without a new part.
 */
export class AlbumBuffer {
  readonly #deps: AlbumBufferDeps;
  /** Incomplete albums by sender. */
  #open: ReadonlyMap<string, AlbumParts> = new Map();
  readonly #timers = new Map<string, CancelTimer>();
  readonly #told = new Set<string>();
  #loading: Promise<void> | null = null;
  /** Serializes changes to `#open`. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(deps: AlbumBufferDeps) {
    this.#deps = deps;
  }

  /** Loads the parts saved by an earlier process. */
  async load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    await this.#loading;
  }

  /** Takes a reading. Resolves once it is on disk. */
  async take(reading: Reading): Promise<void> {
    await this.load();
    const remoteId = 'person' in reading ? reading.person.remoteId : null;
    if (isPart(reading)) await this.#inTurn(() => this.#put(reading));
    else {
      if (remoteId !== null && this.#open.has(remoteId)) await this.#inTurn(() => this.#tell(remoteId));
      await this.#deps.take(reading);
    }
  }

  /** Resolves when no write is in progress. Incomplete albums are left to the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    await this.#loading?.catch(() => undefined);
    await this.#turn;
  }

  async #load(): Promise<void> {
    const note = await this.#deps.notes.read(this.#deps.key);
    const noted: AlbumParts[] = note === null ? [] : JSON.parse(note);
    this.#open = new Map(noted.map((deps) => [deps[0].person.remoteId, deps]));
    for (const remoteId of this.#open.keys()) this.#tellSoon(remoteId);
  }

  async #put(part: ReadMessage): Promise<void> {
    const { remoteId } = part.person;
    if (this.#open.get(remoteId)?.[0].albumId !== part.albumId) await this.#tell(remoteId);
    const before = this.#open.get(remoteId);
    if (this.#told.has(nameOf(part)) || before?.some((each) => nameOf(each) === nameOf(part))) return;
    await this.#note(new Map(this.#open).set(remoteId, before ? [...before, part] : [part]));
    this.#tellSoon(remoteId);
  }

  /** Delivers an album as one message; does nothing when there is none. */
  async #tell(remoteId: string): Promise<void> {
    const deps = this.#open.get(remoteId);
    if (!deps) return;
    await this.#deps.take(wholeOf(deps));
    this.#timers.get(remoteId)?.();
    this.#timers.delete(remoteId);
    for (const part of deps) this.#remember(nameOf(part));
    const rest = new Map(this.#open);
    rest.delete(remoteId);
    await this.#note(rest);
  }

  async #note(open: ReadonlyMap<string, AlbumParts>): Promise<void> {
    const note = open.size === 0 ? null : JSON.stringify([...open.values()]);
    await this.#deps.notes.write(this.#deps.key, note);
    this.#open = open;
  }

  #tellSoon(remoteId: string): void {
    this.#timers.get(remoteId)?.();
    if (this.#isClosed) return;
    const tell = () => {
      this.#inTurn(() => this.#tell(remoteId)).catch((error: unknown) => {
        this.#deps.onFailure(error);
        this.#tellSoon(remoteId);
      });
    };
    this.#timers.set(remoteId, this.#deps.clock.after(COMPLETE_MS, tell));
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #remember(name: string): void {
    this.#told.add(name);
    const [oldest] = this.#told;
    if (this.#told.size > MAX_REMEMBERED) this.#told.delete(oldest!);
  }
}

function isPart(reading: Reading): reading is ReadMessage {
  return reading.kind === 'message' && reading.albumId !== null;
}

function nameOf({ person, messageId }: ReadMessage): string {
  return `${person.remoteId} ${messageId}`;
}
