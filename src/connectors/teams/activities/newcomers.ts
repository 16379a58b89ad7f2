import { LimitedMap } from '../../../base/limited-map.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { CodeTries } from '../../kit/code-tries.ts';
import type { Directory } from '../messages/directory.ts';
import { NOTE } from '../messages/notes-to-people.ts';
import { postActivity, textActivity } from '../messages/post-activity.ts';
import type { TeamsApi } from '../rest/teams-api.ts';
import { TeamsFailure } from '../rest/teams-failure.ts';
import type { TeamsObserver } from '../teams-observer.ts';
import type { ActivityPlace } from './activity.ts';

/** An invite token: 24 bytes in base64url, which may be surrounded by other text. */
const CODE = /(?<![\w-])[\w-]{32}(?![\w-])/;
const NOTE_DEADLINE_MS = 20_000;
/** Number of strangers cached as already notified; each is notified only once. */
const MAX_REMEMBERED = 20_000;
/** Notes on their way. Further ones are dropped and counted. */
const MAX_NOTES = 100;

export interface NewcomersDeps {
  readonly api: TeamsApi;
  readonly directory: Directory;
  readonly tries: CodeTries;
  readonly observer: TeamsObserver;
  intake(): MessageIntake;
}

/** A message that may contain a one-time code. */
export interface CodeMessage {
  readonly text: string;
  /** Teams' id of who writes. */
  readonly memberId: string;
  readonly place: ActivityPlace;
  readonly name: string | null;
}

/** Connects people and channels that show the shared bot a one-time code, and tells others what to do. */
export class Newcomers {
  readonly #deps: NewcomersDeps;
  readonly #notified = new LimitedMap<true>(MAX_REMEMBERED);
  #notes = 0;

  constructor(deps: NewcomersDeps) {
    this.#deps = deps;
  }

  async tryCode({ text, memberId, place, name }: CodeMessage): Promise<'used' | 'wrong' | 'none'> {
    const { intake, tries } = this.#deps;
    const [code] = CODE.exec(text) ?? [];
    const { person, space } = place.address;
    if (code === undefined || person === null || !tries.allows(person)) return 'none';
    if (space.kind === 'channel' && !(await this.#mayDecide(memberId, place))) {
      this.#say(place, NOTE.notAllowed);
      return 'used';
    }
    if (await intake().bind(place.address, name, code)) {
      this.#say(place, space.kind === 'direct' ? NOTE.connected : NOTE.channelConnected);
      return 'used';
    }
    tries.failed(person);
    return 'wrong';
  }

  /** Tells a stranger once what to do, and each time that a code was wrong. */
  notify(place: ActivityPlace, hadCode: boolean): void {
    if (hadCode) return this.#say(place, NOTE.codeOver);
    const { conversationId } = place.reference;
    if (this.#notified.get(conversationId)) return;
    this.#notified.set(conversationId, true);
    this.#say(place, place.address.space.kind === 'direct' ? NOTE.whoAreYou : NOTE.unknownChannel);
  }

  async #mayDecide(memberId: string, { reference }: ActivityPlace): Promise<boolean> {
    try {
      return await this.#deps.directory.isMember(memberId, reference);
    } catch (error) {
      // What cannot be found out is not allowed.
      if (error instanceof TeamsFailure) return false;
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
