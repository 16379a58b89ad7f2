import { LimitedMap } from '../../base/limited-map.ts';
import type { CancelTimer, Clock } from '../../base/time.ts';
import type { PlatformRecords } from '../contract/records.ts';
import type { Place, Reading, ReadMessage } from './update-reading.ts';

/** Result of one polling round, with albums joined. */
export interface Round {
  readonly readings: readonly Reading[];
  /** The album at the end, which may still be incomplete and is fetched again; null when there is none. */
  readonly open: { readonly albumId: string; readonly fromUpdateId: number } | null;
}

/**
 * Joins the parts of each album, which arrive as separate messages, into one message with all files. An album at the
 * end of a round waits for the next one, with everything after its first part, because more parts may come. Each album
 * waits only once (`waitedFor`).
 */
export function joinAlbums(readings: readonly Reading[], waitedFor: string | null): Round {
  const all = joined(readings);
  const openId = albumOf(readings.at(-1));
  const open = all.find((reading) => albumOf(reading) === openId);
  if (openId === null || openId === waitedFor || !open) return { readings: all, open: null };
  const fromUpdateId = albumStart(all, open.updateId);
  return {
    readings: all.filter((reading) => lastOf(reading) < fromUpdateId),
    open: { albumId: openId, fromUpdateId },
  };
}

/**
 * Returns the update id to fetch from again when some readings of a round were not handled. All unhandled readings are
 * fetched again. No album is split, so handled albums can be recognized by their first part.
 */
export function refetchFrom(all: readonly Reading[], unhandled: readonly Reading[]): number {
  return albumStart(all, Math.min(...unhandled.map(({ updateId }) => updateId)));
}

function albumStart(all: readonly Reading[], from: number): number {
  const cut = all.find((reading) => reading.updateId < from && lastOf(reading) >= from);
  return cut ? albumStart(all, cut.updateId) : from;
}

function albumOf(reading: Reading | undefined): string | null {
  return reading?.kind === 'message' ? reading.albumId : null;
}

/** Update id of an album's last part, or of any other reading. */
function lastOf(reading: Reading): number {
  return reading.kind === 'message' ? reading.lastUpdateId : reading.updateId;
}

/**
 * Joins albums. An album has the message id and update id of its first part and takes the position of its last part.
 */
function joined(readings: readonly Reading[]): Reading[] {
  const albums = new Map<string, ReadMessage>();
  for (const reading of readings) {
    if (reading.kind !== 'message' || reading.albumId === null) continue;
    const before = albums.get(reading.albumId);
    albums.set(reading.albumId, before ? joinParts(before, reading) : reading);
  }
  return readings.flatMap((reading) => {
    const album = albums.get(albumOf(reading) ?? '');
    if (!album) return [reading];
    return album.lastUpdateId === reading.updateId ? [album] : [];
  });
}

/** Joins the parts of one album into one message. */
export function wholeOf([first, ...rest]: readonly [ReadMessage, ...ReadMessage[]]): ReadMessage {
  return rest.reduce(joinParts, first);
}

function joinParts(before: ReadMessage, part: ReadMessage): ReadMessage {
  return {
    ...before,
    lastUpdateId: part.updateId,
    isOverheard: before.isOverheard && part.isOverheard,
    text: [before.text, part.text].filter(Boolean).join('\n'),
    files: [...before.files, ...part.files],
  };
}

/** Time without new parts after which an album is complete. */
const COMPLETE_MS = 1_000;
/** Number of delivered parts to remember, so that parts sent again after a lost acknowledgement are dropped. */
const MAX_REMEMBERED = 2_000;

export interface AlbumBufferDeps {
  /** Key of the login. */
  readonly key: string;
  readonly clock: Clock;
  readonly records: PlatformRecords;
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
  readonly #delivered = new LimitedMap<true>(MAX_REMEMBERED);
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
    const sender = senderOf(reading);
    if (isPart(reading)) await this.#inTurn(() => this.#put(reading));
    else {
      if (sender !== null && this.#open.has(sender)) await this.#inTurn(() => this.#tell(sender));
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
    const noted = (await this.#deps.records.find(this.#deps.key, 'albums')) as AlbumParts[] | null;
    this.#open = new Map((noted ?? []).map((parts) => [senderIn(parts[0]), parts]));
    for (const sender of this.#open.keys()) this.#tellSoon(sender);
  }

  async #put(part: ReadMessage): Promise<void> {
    const sender = senderIn(part);
    if (this.#open.get(sender)?.[0].albumId !== part.albumId) await this.#tell(sender);
    const before = this.#open.get(sender);
    if (this.#delivered.get(nameOf(part)) || before?.some((each) => nameOf(each) === nameOf(part))) return;
    await this.#note(new Map(this.#open).set(sender, before ? [...before, part] : [part]));
    this.#tellSoon(sender);
  }

  /** Delivers an album as one message; does nothing when there is none. */
  async #tell(sender: string): Promise<void> {
    const parts = this.#open.get(sender);
    if (!parts) return;
    await this.#deps.take(wholeOf(parts));
    this.#timers.get(sender)?.();
    this.#timers.delete(sender);
    for (const part of parts) this.#delivered.set(nameOf(part), true);
    const rest = new Map(this.#open);
    rest.delete(sender);
    await this.#note(rest);
  }

  async #note(open: ReadonlyMap<string, AlbumParts>): Promise<void> {
    const { records, key: loginKey } = this.#deps;
    if (open.size === 0) await records.delete(loginKey, 'albums');
    else await records.put({ loginKey, kind: 'albums', value: [...open.values()] });
    this.#open = open;
  }

  #tellSoon(sender: string): void {
    this.#timers.get(sender)?.();
    if (this.#isClosed) return;
    const tell = () => {
      this.#inTurn(() => this.#tell(sender)).catch((error: unknown) => {
        this.#deps.onFailure(error);
        this.#tellSoon(sender);
      });
    };
    this.#timers.set(sender, this.#deps.clock.after(COMPLETE_MS, tell));
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(step);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function isPart(reading: Reading): reading is ReadMessage {
  return reading.kind === 'message' && reading.albumId !== null;
}

/** Returns the key of who wrote in a chat; null: the reading is nobody's. */
function senderOf(reading: Reading): string | null {
  if (reading.kind === 'edit') return senderIn(reading.message);
  return 'person' in reading ? senderIn(reading) : null;
}

function senderIn({ person: { remoteId }, group }: Place): string {
  return group ? `${group.remoteId} ${remoteId}` : remoteId;
}

function nameOf(part: ReadMessage): string {
  return `${senderIn(part)} ${part.messageId}`;
}
