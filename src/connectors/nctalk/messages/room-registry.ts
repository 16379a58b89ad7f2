import { LimitedMap } from '../../../base/limited-map.ts';
import type { RoomRecord, TalkRecords } from '../nctalk-records.ts';
import { ROOM_TYPES, type Room } from '../objects.ts';
import type { Place, Reading } from './message-reading.ts';

/** Rooms that are not active are remembered in memory only. */
const MAX_OTHERS = 2_000;

const NEW = { isActive: false, isListed: true, isSealed: false };

/** The rooms of one login: the direct conversation with the owner, and those in which the owner has activated the bot. */
export class RoomRegistry {
  readonly #records: TalkRecords;
  readonly #owner: string;
  /** Of rooms that are kept. */
  readonly #kept = new Map<string, RoomRecord>();
  /** Positions in rooms that were never activated, in which only the owner's command matters. */
  readonly #others = new LimitedMap<number>(MAX_OTHERS);
  /** What rooms are, as the Nextcloud last said. */
  readonly #places = new LimitedMap<Place | null>(MAX_OTHERS);

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
    return place !== null && place !== undefined
      ? this.matters(place)
      : this.#kept.get(token)?.isActive === true;
  }

  /** Null: it was never read. A direct conversation begins with the bot. */
  positionIn({ token, kind }: Place): number | null {
    return this.#kept.get(token)?.position ?? this.#others.get(token) ?? (kind === 'direct' ? 0 : null);
  }

  /** 0: it was never read. */
  lastPosition(token: string): number {
    return this.#kept.get(token)?.position ?? this.#others.get(token) ?? 0;
  }

  async advance(place: Place, position: number): Promise<void> {
    const kept = this.#kept.get(place.token);
    if (kept || place.kind === 'direct') await this.#keep({ ...NEW, ...kept, ...roomOf(place), position });
    else this.#others.set(place.token, position);
  }

  /** `position`: of the command. */
  async activate(place: Place, isActive: boolean, position: number): Promise<void> {
    const kept = this.#kept.get(place.token);
    await this.#keep({ ...NEW, ...kept, ...roomOf(place), position, isActive, isListed: false });
  }

  /** The addon knows whether it is active. */
  async listed(token: string): Promise<void> {
    const kept = this.#kept.get(token);
    if (kept) await this.#keep({ ...kept, isListed: true });
  }

  /** The addon has forgotten all rooms of the owner. */
  async forgottenByAddon(): Promise<void> {
    for (const kept of this.#kept.values()) if (kept.isActive) await this.#keep({ ...kept, isListed: false });
  }

  /** The conversation with the owner, if it is known; of several, the last one that there was news in. */
  get direct(): string | null {
    const all = [...this.#kept.values()].filter(({ kind }) => kind === 'direct');
    return all.toSorted((one, other) => other.position - one.position)[0]?.token ?? null;
  }

  /** The conversation with the owner is no longer there. */
  async directGone(token: string): Promise<void> {
    await this.#records.forgetRoom(token);
    this.#kept.delete(token);
    this.#places.delete(token);
  }

  /** Rooms of which the addon has not been told. */
  get unlisted(): readonly RoomRecord[] {
    return [...this.#kept.values()].filter(({ isListed }) => !isListed);
  }

  /** The rooms whose messages are stored. */
  get heard(): readonly string[] {
    return [...this.#kept.keys()].filter((token) => this.isHeard(token));
  }

  /** The addon encrypts the texts of a room. Returns whether that is news. */
  async seal(token: string): Promise<boolean> {
    const kept = this.#kept.get(token);
    if (!kept || kept.isSealed) return false;
    await this.#keep({ ...kept, isSealed: true });
    return true;
  }

  /** It does so no more; null: in no room, as far as is known. */
  async unseal(token: string | null): Promise<void> {
    for (const kept of this.#kept.values())
      if (kept.isSealed && (token === null || kept.token === token))
        await this.#keep({ ...kept, isSealed: false });
  }

  /** Whether something must not be read: the addon encrypts texts, but no files. */
  isSealed(token: string, reading: Reading): boolean {
    const hasFiles = reading.kind === 'written' && reading.inbound.files.length > 0;
    return !hasFiles && this.#kept.get(token)?.isSealed === true;
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

function roomOf({ token, kind }: Place): Pick<RoomRecord, 'token' | 'kind'> {
  return { token, kind };
}
