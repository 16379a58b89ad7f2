import { channelAddress } from '../../../base/address.ts';
import { wallMs } from '../../../base/wall-ms.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import type { TalkApi } from '../client.ts';
import type { NextcloudTalkObserver } from '../nctalk-observer.ts';
import type { Message } from '../objects.ts';
import type { Place, Reader } from './message-reading.ts';
import { referenceOf } from './references.ts';
import type { RoomRegistry } from './room-registry.ts';

const SAY_DEADLINE_MS = 15_000;
/** An older command is carried out, but no longer answered: nobody waits for it. */
const ANSWERED_FOR_S = 3_600;

const ANSWERS = {
  activate:
    'This conversation is connected. I pass on what is written here from now on, and answer. Write /deactivate to end that.',
  deactivate:
    'This conversation is no longer connected. I pass on nothing of what is written here. Write /activate to connect it again.',
} as const;

export const NOT_ENCRYPTED =
  'I cannot read end-to-end encrypted messages. Please switch encryption off in the settings of the app on this Nextcloud, or send a file: files are not encrypted.';

/** The list of rooms that the addon forwards messages of. */
export interface AuthorizesRooms {
  /** Adds a room with its owner, or takes it off the list (null). Rejects with a PlatformFailure. */
  authorize(token: string, owner: string | null, signal: AbortSignal): Promise<void>;
}

export interface RoomCommandsDeps {
  readonly reader: Reader;
  readonly api: TalkApi;
  readonly rooms: RoomRegistry;
  readonly addon: AuthorizesRooms;
  readonly observer: NextcloudTalkObserver;
  readonly signal: AbortSignal;
  intake(): MessageIntake;
}

/** Carries out what the owner tells the bot in a room. */
export class RoomCommands {
  readonly #deps: RoomCommandsDeps;

  constructor(deps: RoomCommandsDeps) {
    this.#deps = deps;
  }

  /** Resolves once it is kept. What follows from it is best effort. */
  async carryOut(
    command: 'activate' | 'deactivate',
    place: Place,
    { id, timestamp }: Message,
  ): Promise<void> {
    const { reader, rooms, intake } = this.#deps;
    const isActive = command === 'activate';
    await rooms.activate(place, isActive, id);
    await intake().reachable(channelAddress(reader.login, place.token), isActive);
    await this.tellAddon();
    if (wallMs() / 1_000 - timestamp < ANSWERED_FOR_S)
      await this.say(place.token, ANSWERS[command], `${command} ${id}`);
  }

  /** Tells the addon what it does not know yet. What fails is tried again by the next call. */
  async tellAddon(): Promise<void> {
    const { rooms, addon, reader, observer, signal } = this.#deps;
    for (const { token, isActive } of rooms.unlisted) {
      try {
        await addon.authorize(token, isActive ? reader.owner : null, signal);
        await rooms.listed(token);
      } catch (error) {
        observer.count('api_error');
        if (!signal.aborted)
          observer.log('warn', 'the addon could not be told of a conversation', { reason: String(error) });
        return;
      }
    }
  }

  /** Says something of its own in a room; best effort. */
  async say(token: string, text: string, reason: string): Promise<void> {
    const { api, reader, observer, signal } = this.#deps;
    const posting = { token, text, referenceId: referenceOf(`${reader.ownId} ${token} ${reason}`) };
    await api.post(posting, { deadlineMs: SAY_DEADLINE_MS, signal }).catch(() => observer.count('api_error'));
  }
}
