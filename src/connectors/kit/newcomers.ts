import type { Address } from '../../base/address.ts';
import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';
import type { MessageIntake } from '../contract/messenger.ts';

/** A one-time code or invite token: 24 bytes in base64url, which may be surrounded by other text. */
const CODE = /(?<![\w-])[\w-]{32}(?![\w-])/g;
/** Limit on candidate codes per text, since each is looked up in the database. */
const MOST_CODES = 3;
const MAX_TRIES = 5;
const WINDOW_MS = 15 * 60_000;
/** People and places that are remembered. */
const MAX_REMEMBERED = 20_000;

/** What every bot says to people who have connected. */
export const CONNECTED = 'You are connected. The agent receives the messages that you send here.';

/**
 * What a bot says on its own: in a channel that is connected now, to a person and in a channel that no account is
 * connected to, and to somebody who may not connect a channel.
 */
export type NewcomerNotes = Readonly<
  Record<'channelConnected' | 'whoAreYou' | 'unknownChannel' | 'notAllowed', string>
>;

/** Returns the candidate codes in a text, in order. */
export function codesIn(text: string): string[] {
  return [...new Set(text.match(CODE))].slice(0, MOST_CODES);
}

/** Tells for each of the newest 20,000 people or places whether it is there for the first time. Kept in memory. */
export class FirstTimes {
  readonly #known = new LimitedMap<true>(MAX_REMEMBERED);

  isFirst(id: string): boolean {
    if (this.#known.get(id)) return false;
    this.#known.set(id, true);
    return true;
  }
}

/** A message of somebody who may be a newcomer. */
export interface Newcomer {
  readonly from: Address;
  /** Of the person in a direct conversation, of the channel otherwise. */
  readonly name: string | null;
  readonly text: string;
  /** Whether they may connect the channel that they write in. */
  mayDecide(): Promise<boolean>;
  /** Called when they are connected, before they are told. */
  connected?(): Promise<void>;
  /** Answers them; best effort. */
  say(note: string): void;
}

/** Connects people and channels that show the shared bot a one-time code, and tells others what to do. */
export class Newcomers {
  readonly #clock: Clock;
  readonly #notes: NewcomerNotes;
  readonly #first = new FirstTimes();
  /** Wrong codes, by person. */
  readonly #failed = new LimitedMap<{ readonly count: number; readonly sinceMs: number }>(MAX_REMEMBERED);

  constructor(clock: Clock, notes: NewcomerNotes) {
    this.#clock = clock;
    this.#notes = notes;
  }

  /** A person may try five wrong codes within 15 minutes. Further ones are no codes. */
  async tryCode(intake: MessageIntake, newcomer: Newcomer): Promise<'used' | 'wrong' | 'none'> {
    const { from, name, text, mayDecide, connected, say } = newcomer;
    const { person, space } = from;
    const [code] = codesIn(text);
    if (code === undefined || person === null || this.#triesOf(person).count >= MAX_TRIES) return 'none';
    if (space.kind === 'channel' && !(await mayDecide())) {
      say(this.#notes.notAllowed);
      return 'used';
    }
    if (await intake.bind(from, name, code)) {
      await connected?.();
      say(space.kind === 'direct' ? CONNECTED : this.#notes.channelConnected);
      return 'used';
    }
    const { count, sinceMs } = this.#triesOf(person);
    this.#failed.set(person, { count: count + 1, sinceMs });
    return 'wrong';
  }

  /** Tells a stranger what to do: once in each place, and each time that a code was wrong. */
  notify({ from, say }: Pick<Newcomer, 'from' | 'say'>, place: string, hadCode: boolean): void {
    const { whoAreYou, unknownChannel } = this.#notes;
    if (hadCode) say('This code is not valid, or no longer. Please ask for a new one.');
    else if (this.#first.isFirst(place)) say(from.space.kind === 'direct' ? whoAreYou : unknownChannel);
  }

  #triesOf(person: string): { readonly count: number; readonly sinceMs: number } {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#failed.get(person);
    return known && nowMs - known.sinceMs < WINDOW_MS ? known : { count: 0, sinceMs: nowMs };
  }
}
