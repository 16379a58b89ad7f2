import type { Capability } from '../../../base/platform.ts';
import type { LegObserver, SpeakingVoice } from '../../contract/call-leg.ts';
import type { Connection } from '../../contract/oauth.ts';
import type { FollowedCall, FollowsStreams } from '../calls/zoom-directory.ts';
import type { RtmsChat, RtmsTranscript } from './rtms-protocol.ts';
import type { StreamObserver } from './rtms-stream.ts';
import type { StreamRegistry } from './stream-registry.ts';

/** What the leg has by itself. */
const AUDIO: readonly Capability[] = ['audio_in', 'audio_out'];
/** All are heard as one. */
const VOICE = 0;
/** Chat sessions that are not to everyone are private. */
const EVERYONE = 1;
const NEW = 1;
const NAMELESS = 'somebody';
/** How Zoom shows phones: digits, some of them hidden. */
const NUMBER = /^\+?[\d*()\s-]{4,}$/;

/** How the agent appears among the participants. */
interface OwnAppearance {
  readonly name: string;
  /** A phone's name is its number, and nobody tells which is ours. */
  readonly isPhone: boolean;
}

/** Tells a call what the stream of its meeting tells: who is there, who speaks, what is said and written. */
class StreamedCall implements StreamObserver {
  readonly #call: LegObserver;
  readonly #own: OwnAppearance;
  #people: ReadonlyMap<string, string> = new Map();
  #speaker: string | null = null;
  #ownPhone: string | null = null;

  constructor(call: LegObserver, own: OwnAppearance) {
    this.#call = call;
    this.#own = own;
  }

  people(names: ReadonlyMap<string, string>): void {
    this.#people = names;
    this.#findOwnPhone();
    const others = [...names].filter(([id, name]) => id !== this.#ownPhone && name !== this.#own.name);
    this.#call.participants(others.map(([id, name]) => ({ id, name: name || NAMELESS })));
  }

  speaker(id: string | null): void {
    const speaker = id === null || this.#isOwn(id) ? null : id;
    if (speaker === this.#speaker) return;
    if (this.#speaker !== null) this.#call.speaking(voiceOf(this.#speaker), false);
    if (speaker !== null) this.#call.speaking(voiceOf(speaker), true);
    this.#speaker = speaker;
  }

  said({ user_id, user_name, data: text }: RtmsTranscript): void {
    if (!this.#isOwn(user_id, user_name)) this.#call.said({ speaker: user_name || NAMELESS, text });
  }

  hasChat(has: boolean): void {
    this.#call.capabilities(has ? [...AUDIO, 'read'] : AUDIO);
  }

  chat(message: RtmsChat): void {
    const { chat_session: session, operation_type = NEW, sender, files = [], data = '', timestamp } = message;
    const isForAll = session === undefined || session.type === EVERYONE;
    const author = sender ?? { user_id: message.user_id ?? '', user_name: message.user_name };
    if (!isForAll || operation_type !== NEW || this.#isOwn(author.user_id, author.user_name)) return;
    const names = files.map(({ file_name }) => `[file: ${file_name}]`);
    const text = [...(data === '' ? [] : [data]), ...names].join('\n');
    this.#call.chat({
      id: message.message_id ?? `${timestamp} ${author.user_id}`,
      sender: author.user_name || this.#people.get(author.user_id) || NAMELESS,
      text,
      sentAt: new Date(timestamp ?? Date.now()).toISOString(),
      files: [],
    });
  }

  /** The call goes on, and hears all as one again. */
  lost(): void {
    this.speaker(null);
    this.#people = new Map();
    this.#ownPhone = null;
    this.#call.participants([]);
    this.#call.capabilities(AUDIO);
  }

  /** Whether this is the agent, or calls itself so. Of several phones each may be. */
  #isOwn(id: string, name = this.#people.get(id) ?? ''): boolean {
    if (name === this.#own.name) return true;
    return this.#ownPhone === null ? this.#own.isPhone && NUMBER.test(name) : id === this.#ownPhone;
  }

  /** Once found, the agent's phone is known by its id: another one may join later. */
  #findOwnPhone(): void {
    if (!this.#own.isPhone || (this.#ownPhone !== null && this.#people.has(this.#ownPhone))) return;
    const phones = [...this.#people].filter(([, name]) => NUMBER.test(name));
    this.#ownPhone = phones.length === 1 ? phones[0]![0] : null;
  }
}

function voiceOf(participantId: string): SpeakingVoice {
  return { voiceId: VOICE, participantId };
}

/** Gives calls the streams that the user of their connection has started. */
export class CallStreams implements FollowsStreams {
  readonly #registry: StreamRegistry;
  /** Zoom's ids of users, by connection, and what ends with it. */
  readonly #users = new Map<string, { readonly userId: string; readonly ending: AbortController }>();

  constructor(registry: StreamRegistry) {
    this.#registry = registry;
  }

  /** Also when somebody has connected again, as another user perhaps. */
  connected({ id, providerUserId: userId }: Connection): void {
    if (this.#users.get(id)?.userId === userId) return;
    this.disconnected(id);
    this.#users.set(id, { userId, ending: new AbortController() });
  }

  /** Its calls go on without their streams: the user has taken back that anybody hears of them. */
  disconnected(connectionId: string): void {
    this.#users.get(connectionId)?.ending.abort();
    this.#users.delete(connectionId);
  }

  follow({ connectionId, meetingUuid, observer, own }: FollowedCall, signal: AbortSignal): void {
    const user = this.#users.get(connectionId);
    if (user === undefined) return;
    const call = new StreamedCall(observer, own);
    const { userId, ending } = user;
    const lose = () => call.lost();
    ending.signal.addEventListener('abort', lose, { once: true });
    signal.addEventListener('abort', () => ending.signal.removeEventListener('abort', lose), { once: true });
    this.#registry.follow({ userId, meetingUuid, observer: call }, AbortSignal.any([signal, ending.signal]));
  }
}
