import { cutText } from '../base/cut-text.ts';
import { oneLine } from '../base/one-line.ts';
import type { Capability } from '../base/platform.ts';
import type { RecognizedLine } from '../base/speech.ts';
import type { Termination } from '../base/termination.ts';
import type { Clock } from '../base/time.ts';
import type {
  InboundChat,
  LegObserver,
  Participant,
  SaidLine,
  SpeakingVoice,
} from '../connectors/contract/call-leg.ts';
import { MAX_VOICES } from '../media/media-leg.ts';
import type { CallCapabilities } from './call-capabilities.ts';
import type { CallEvent } from './call-event.ts';
import type { CallMessage } from './call-state.ts';
import { type InboundChatDeps, InboundChatQueue } from './inbound-chat.ts';

const MAX_REASON = 200;
/** In characters, as for those of requests. */
const MAX_MEETING_URL = 2_048;
/** Longest line and name of a platform's transcript, in characters. */
const MAX_SAID = 10_000;
const MAX_SPEAKER = 256;

/** Largest list kept; further participants are left out. */
const MAX_PARTICIPANTS = 500;
/** Longest id and name kept, in characters. */
const MAX_PARTICIPANT = 256;
/** Shortest time between two announcements. When many people join at once, each would otherwise send the whole list. */
const PAUSE_MS = 500;

/** What platforms do not tell of a line. */
const UNKNOWN = { startMs: null, endMs: null, confidence: null, language: null };

/** The call that a leg belongs to. */
export interface ObservedCall {
  readonly isOver: boolean;
  readonly capabilities: CallCapabilities;
  post(message: CallMessage): void;
  publish(event: CallEvent): void;
  transcribed(line: RecognizedLine): void;
  /** Sets the meeting, which was created for the call. */
  located(meetingUrl: string): void;
  /** What the call's snapshot shows has changed. */
  changed(): void;
}

/** Turns what a leg reports into messages and events of its call, and keeps who takes part. */
export class LegEvents implements LegObserver {
  readonly #call: ObservedCall;
  readonly #participants: ParticipantList;
  readonly #chat: InboundChatQueue;
  readonly #speaking = new Set<number>();

  constructor(
    call: ObservedCall,
    { clock, chat }: { readonly clock: Clock; readonly chat: InboundChatDeps },
  ) {
    this.#call = call;
    this.#participants = new ParticipantList(clock, (participants) =>
      this.#publish({ type: 'call_participants', participants }),
    );
    this.#chat = new InboundChatQueue(chat, (event) => call.publish(event));
  }

  /** Who takes part now. */
  get present(): readonly Participant[] {
    return this.#participants.current;
  }

  ringing(): void {
    this.#call.post({ type: 'leg_progress', progress: 'ringing' });
  }

  earlyMedia(): void {
    this.#call.post({ type: 'leg_progress', progress: 'early_media' });
  }

  waiting(reason: string): void {
    this.#call.post({ type: 'leg_waiting', reason: cutText(reason, MAX_REASON) });
  }

  created(url: string): void {
    if (!this.#call.isOver) this.#call.located(cutText(url, MAX_MEETING_URL));
  }

  answered(): void {
    this.#call.post({ type: 'leg_answered' });
  }

  held(onHold: boolean): void {
    this.#call.post({ type: 'leg_held', onHold });
  }

  capabilities(list: readonly Capability[]): void {
    if (!this.#call.isOver) this.#call.capabilities.setLeg(list);
  }

  participants(list: readonly Participant[]): void {
    this.#participants.replace(list, () => this.#call.changed());
  }

  speaking({ voiceId, participantId }: SpeakingVoice, on: boolean): void {
    const isVoice = Number.isInteger(voiceId) && voiceId >= 0 && voiceId < MAX_VOICES;
    if (!isVoice || this.#speaking.has(voiceId) === on) return;
    if (on) this.#speaking.add(voiceId);
    else this.#speaking.delete(voiceId);
    const participant = participantId === null ? undefined : this.#participants.find(participantId);
    this.#publish({ type: 'call_speaking', voiceId, participant: participant ?? null, speaking: on });
  }

  chat(message: InboundChat): void {
    if (!this.#call.isOver) this.#chat.add(message);
  }

  said({ speaker: name, text: words }: SaidLine): void {
    if (this.#call.isOver || this.#call.capabilities.current.includes('hosted_stt')) return;
    const [speaker, text] = [oneLine(name, MAX_SPEAKER), oneLine(words, MAX_SAID)];
    if (text !== '') this.#call.transcribed({ speaker, text, ...UNKNOWN });
  }

  dtmf(digit: string): void {
    this.#publish({ type: 'dtmf', digit });
  }

  ended(by: 'local' | 'remote' | 'lost', termination: Termination): void {
    this.#call.post({ type: 'leg_ended', by, termination });
  }

  #publish(event: CallEvent): void {
    if (!this.#call.isOver) this.#call.publish(event);
  }
}

/** Who takes part in a call. Changes are announced at most every 500 ms; the current list can be read at any time. */
class ParticipantList {
  readonly #clock: Clock;
  readonly #announce: (list: readonly Participant[]) => void;
  #current: readonly Participant[] = [];
  #announced: readonly Participant[] = [];
  #isPaused = false;

  constructor(clock: Clock, announce: (list: readonly Participant[]) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  get current(): readonly Participant[] {
    return this.#current;
  }

  find(id: string): Participant | undefined {
    return this.#current.find((participant) => participant.id === id);
  }

  /** Replaces the list. `changed` is called before any announcement, unless the list is the same as before. */
  replace(reported: readonly Participant[], changed: () => void): void {
    const next = reported.slice(0, MAX_PARTICIPANTS).map(shortened);
    if (areSame(next, this.#current)) return;
    this.#current = next;
    changed();
    this.#announceLater();
  }

  #announceLater(): void {
    if (this.#isPaused || areSame(this.#current, this.#announced)) return;
    this.#isPaused = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isPaused = false;
      this.#announceLater();
    });
    this.#announced = this.#current;
    this.#announce(this.#current);
  }
}

function shortened({ id, name }: Participant): Participant {
  return { id: cutText(id, MAX_PARTICIPANT), name: cutText(name, MAX_PARTICIPANT) };
}

function areSame(some: readonly Participant[], others: readonly Participant[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ id, name }, at) => id === others[at]?.id && name === others[at]?.name)
  );
}
