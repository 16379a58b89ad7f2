import { LimitedMap } from '../../../base/limited-map.ts';
import type { RoomRecord, TalkRecords } from '../nctalk-records.ts';
import { type Room, ROOM_TYPES } from '../objects.ts';
import type { Place, Reading } from './message-reading.ts';

/** Rooms that are not active are remembered in memory only. */
const MAX_OTHERS = 2_000;

/** A room whose messages matter, or may come to matter. */
export interface KnownRoom extends Place, Omit<RoomRecord, 'token'> {}

/** The rooms of one login: the direct conversation with the owner, and those in which the owner has activated the bot. */
export class RoomBook {
  readonly #records: TalkRecords;
  readonly #owner: string;
  /** Of rooms that are kept. */
  readonly #kept = new Map<string, RoomRecord>();
  /** Positions in rooms that were never activated, in which only the owner's command matters. */
  readonly #others = new LimitedMap<number>(MAX_OTHERS);
  /** What rooms are, as the Nextcloud last said. */
  readonly #places = new LimitedMap<Place | null>(MAX_OTHERS);

  /** Rooms whose texts the addon encrypts: they are not read behind its back. */
  readonly #sealed = new LimitedMap<true>(MAX_OTHERS);

  constructor(records: TalkRecords, owner: string) {
    this.#records = records;
    this.#owner = owner;
  }

  async load(): Promise<void> {
    for (const record of await this.#records.rooms()) this.#kept.set(record.token, record);
  }

  /** Takes what the Nextcloud says about a room. Returns null for one in which nothing can matter. */
  noted(room: Room): Place | null {
    const place = this.#placeOf(room);
    this.#places.set(room.token, place);
    return place;
  }

  /** Undefined: the Nextcloud has not said yet what it is. Null: nothing in it can matter. */
  placeOf(token: string): Place | null | undefined {
    return this.#places.get(token);
  }

  /** Whether messages of people in it are stored. */
  matters(place: Place): boolean {
    return place.kind === 'direct' || this.#kept.get(place.token)?.isActive === true;
  }

  /** Whether it is known as one whose messages are stored. */
  isHeard(token: string): boolean {
    const place = this.#places.get(token);
    return place !== null && place !== undefined ? this.matters(place) : this.#kept.get(token)?.isActive === true;
  }

  /** Null: it was never read. A direct conversation begins with the bot. */
  positionIn({ token, kind }: Place): number | null {
    return this.#kept.get(token)?.position ?? this.#others.get(token) ?? (kind === 'direct' ? 0 : null);
  }

  async advance(place: Place, position: number): Promise<void> {
    const kept = this.#kept.get(place.token);
    if (kept || place.kind === 'direct')
      await this.#keep({ isActive: false, isListed: true, ...kept, token: place.token, position });
    else this.#others.set(place.token, position);
  }

  /** `position`: of the command. */
  async activate({ token }: Place, isActive: boolean, position: number): Promise<void> {
    await this.#keep({ token, position, isActive, isListed: false });
  }

  /** The addon knows whether it is active. */
  async listed(token: string): Promise<void> {
    const kept = this.#kept.get(token);
    if (kept) await this.#keep({ ...kept, isListed: true });
  }

  /** Rooms of which the addon has not been told. */
  get unlisted(): readonly RoomRecord[] {
    return [...this.#kept.values()].filter(({ isListed }) => !isListed);
  }

  /** The rooms whose messages are stored. */
  get heard(): readonly string[] {
    return [...this.#kept.keys()].filter((token) => this.isHeard(token));
  }

  /** Returns whether it is news that the texts of a room are encrypted. */
  seal(token: string): boolean {
    if (this.#sealed.get(token)) return false;
    this.#sealed.set(token, true);
    return true;
  }

  unseal(token: string): void {
    this.#sealed.delete(token);
  }

  /** Whether something must not be read: the addon encrypts texts, but no files. */
  isSealed(token: string, reading: Reading): boolean {
    const hasFiles = reading.kind === 'written' && reading.inbound.files.length > 0;
    return !hasFiles && this.#sealed.get(token) === true;
  }

  /** The bot is no longer in it. It may come back. */
  left(token: string): void {
    this.#places.delete(token);
  }

  #placeOf({ token, type, name, displayName }: Room): Place | null {
    if (type === ROOM_TYPES.oneToOne)
      return name === this.#owner ? { token, kind: 'direct', name: displayName } : null;
    const isShared = type === ROOM_TYPES.group || type === ROOM_TYPES.public;
    return isShared ? { token, kind: 'channel', name: displayName || name } : null;
  }

  async #keep(record: RoomRecord): Promise<void> {
    await this.#records.putRoom(record);
    this.#kept.set(record.token, record);
  }
}
