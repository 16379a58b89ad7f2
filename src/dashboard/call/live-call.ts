import { type Signal, signal } from '@preact/signals';
import type { StreamEvent } from '../../api/schema/stream.ts';
import { changes, socketUrl } from '../api/request.ts';
import { CallAudio } from './call-audio.ts';

/** A line of what was said. */
export interface Line {
  readonly speaker: string;
  readonly text: string;
  /** Otherwise the next line of this speaker replaces it. */
  readonly isFinal: boolean;
}

export interface ChatLine {
  readonly sender: string;
  readonly text: string;
  readonly sentAt: string;
}

/** Something else that happened, in the words of the API. */
export interface Happening {
  readonly at: string;
  readonly type: string;
  readonly text: string;
}

/** Whether the browser hears the call, and is heard. */
export type AudioState = 'off' | 'listening' | 'speaking';

const MOST_KEPT = 500;
const RETRY_MS = 2_000;

/** A call as its WebSocket tells it, from the moment the page is opened. */
export class LiveCall {
  readonly lines: Signal<readonly Line[]> = signal([]);
  readonly chat: Signal<readonly ChatLine[]> = signal([]);
  readonly happenings: Signal<readonly Happening[]> = signal([]);
  readonly speaking: Signal<ReadonlyMap<number, string>> = signal(new Map());
  readonly audio: Signal<AudioState> = signal('off');
  /** Of what the browser hears, from 0 to 1. */
  readonly level: Signal<number> = signal(0);
  readonly isConnected: Signal<boolean> = signal(false);
  readonly #callId: string;
  #socket: WebSocket | null = null;
  #sound: CallAudio | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(callId: string) {
    this.#callId = callId;
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.close();
    void this.#sound?.close();
  }

  /** Hears the call. Call it when a button is pressed. */
  async listen(): Promise<void> {
    this.#sound = await CallAudio.open({
      send: (pcm) => {
        if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(pcm as Int16Array<ArrayBuffer>);
      },
      onLevel: (level) => {
        this.level.value = Math.max(level, this.level.peek() * 0.85);
      },
    });
    this.#configure(true);
    this.audio.value = 'listening';
  }

  /** Is heard in the call as well. Throws when the microphone is refused. */
  async speak(): Promise<void> {
    if (this.#sound === null) await this.listen();
    await this.#sound?.openMicrophone();
    this.audio.value = 'speaking';
  }

  mute(): void {
    this.#sound?.closeMicrophone();
    this.#send({ type: 'clear' });
    this.audio.value = 'listening';
  }

  async stopListening(): Promise<void> {
    if (this.#sound === null) return;
    this.#configure(false);
    await this.#sound.close();
    this.#sound = null;
    this.audio.value = 'off';
    this.level.value = 0;
  }

  /** The transcript has them now. */
  forgetFinalLines(): void {
    this.lines.value = this.lines.peek().filter(({ isFinal }) => !isFinal);
  }

  #connect(): void {
    const socket = new WebSocket(socketUrl(`/api/call/${encodeURIComponent(this.#callId)}/stream`));
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.isConnected.value = true;
      this.#send({ type: 'transcript_config', interim: true });
      if (this.#sound !== null) this.#configure(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#receive(JSON.parse(data) as StreamEvent);
      else this.#sound?.play(data as ArrayBuffer);
    };
    socket.onclose = ({ code }) => {
      this.isConnected.value = false;
      this.speaking.value = new Map();
      changes.value += 1;
      // 1000: the call is over; 1008: the session is.
      if (!this.#isClosed && code !== 1000 && code !== 1008)
        this.#retry = setTimeout(() => this.#connect(), RETRY_MS);
    };
    this.#socket = socket;
  }

  #configure(receive: boolean): void {
    if (this.#sound === null) return;
    this.#send({ type: 'audio_config', sample_rate: this.#sound.sampleRateHz, receive });
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #receive(event: StreamEvent): void {
    if (event.type === 'call_transcript') return this.#said(event);
    if (event.type === 'call_chat') {
      const { sender, text, sent_at: sentAt } = event;
      this.chat.value = [...this.chat.value, { sender, text, sentAt }].slice(-MOST_KEPT);
    } else if (event.type === 'call_speaking') {
      const speaking = new Map(this.speaking.value);
      if (event.speaking) speaking.set(event.voice_id, event.name ?? '');
      else speaking.delete(event.voice_id);
      this.speaking.value = speaking;
    } else if (CHANGES.has(event.type)) {
      changes.value += 1;
    }
    const text = happeningText(event);
    if (text === null) return;
    const happening = { at: new Date().toISOString(), type: event.type, text };
    this.happenings.value = [...this.happenings.value, happening].slice(-MOST_KEPT);
  }

  #said({
    speaker,
    text,
    is_final: isFinal = true,
  }: Extract<StreamEvent, { type: 'call_transcript' }>): void {
    const former = this.lines.value.filter((line) => line.isFinal || line.speaker !== speaker);
    this.lines.value = [...former, { speaker, text, isFinal }].slice(-MOST_KEPT);
  }
}

const CHANGES: ReadonlySet<string> = new Set([
  'call_state',
  'call_waiting',
  'call_meeting',
  'call_participants',
  'call_capabilities',
]);

/** What the list of events shows of one; null: nothing. */
function happeningText(event: StreamEvent): string | null {
  if (event.type === 'call_state') return event.state;
  if (event.type === 'call_waiting') return event.reason;
  if (event.type === 'dtmf') return event.digit;
  if (event.type === 'call_error') return event.message;
  if (event.type === 'utterance') return `${event.state}: ${event.spoken_text}`;
  return null;
}
