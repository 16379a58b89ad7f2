import type { Clock } from '../../../base/time.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { type Newcomer, type NewcomerNotes, Newcomers } from '../../kit/newcomers.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { TeamsApi } from '../client.ts';
import type { Directory } from '../messages/directory.ts';
import { postActivity, textActivity } from '../messages/posting.ts';
import type { TeamsObserver } from '../teams-observer.ts';
import type { ActivityPlace } from './activity.ts';

const NOTE_DEADLINE_MS = 20_000;
/** Notes on their way. Further ones are dropped and counted. */
const MAX_NOTES = 100;

const NOTES: NewcomerNotes = {
  channelConnected: 'This conversation is connected. The agent receives messages that mention me.',
  whoAreYou:
    'This bot does not know which agent to connect you to. Connect your Microsoft account at the gateway, or ask for a one-time code and send it here.',
  unknownChannel:
    'This conversation is not connected to an agent. A member of the organization can connect it: mention me with a one-time code.',
  notAllowed: 'Only members of the organization can decide that, not guests.',
};

export interface TeamsNewcomersDeps {
  readonly api: TeamsApi;
  readonly clock: Clock;
  readonly directory: Directory;
  readonly observer: TeamsObserver;
  intake(): MessageIntake;
}

/** A message that may contain a one-time code. */
export interface CodeMessage extends Pick<Newcomer, 'text' | 'name'> {
  /** Teams' id of who writes. */
  readonly memberId: string;
  readonly place: ActivityPlace;
}

/** Newcomers to the bot. */
export class TeamsNewcomers {
  readonly #deps: TeamsNewcomersDeps;
  readonly #newcomers: Newcomers;
  #notes = 0;

  constructor(deps: TeamsNewcomersDeps) {
    this.#deps = deps;
    this.#newcomers = new Newcomers(deps.clock, NOTES);
  }

  async tryCode({ memberId, place, ...message }: CodeMessage): Promise<'used' | 'wrong' | 'none'> {
    return await this.#newcomers.tryCode(this.#deps.intake(), {
      ...message,
      from: place.address,
      mayDecide: async () => await this.#mayDecide(memberId, place),
      say: (note) => this.#say(place, note),
    });
  }

  notify(place: ActivityPlace, hadCode: boolean): void {
    const newcomer = { from: place.address, say: (note: string) => this.#say(place, note) };
    this.#newcomers.notify(newcomer, place.reference.conversationId, hadCode);
  }

  async #mayDecide(memberId: string, { reference }: ActivityPlace): Promise<boolean> {
    try {
      return await this.#deps.directory.isMember(memberId, reference);
    } catch (error) {
      // What cannot be found out is not allowed.
      if (error instanceof PlatformFailure) return false;
      throw error;
    }
  }

  /** Best effort; blocks nothing. */
  #say({ reference, address: { thread } }: ActivityPlace, text: string): void {
    const { api, observer } = this.#deps;
    if (this.#notes >= MAX_NOTES) return observer.count('note_failed');
    this.#notes += 1;
    const options = { deadlineMs: NOTE_DEADLINE_MS, signal: new AbortController().signal };
    postActivity(api, { reference, thread }, textActivity(text), options)
      .catch(() => observer.count('note_failed'))
      .finally(() => {
        this.#notes -= 1;
      });
  }
}
