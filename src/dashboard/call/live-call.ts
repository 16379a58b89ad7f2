import { type Signal, signal } from '@preact/signals';
import type * as z from 'zod';
import type { TurnMetrics } from '../../api/schema/call.ts';
import type { StreamEvent } from '../../api/schema/stream.ts';
import { changes, socketUrl } from '../api/request.ts';
import { t } from '../pages/call.texts.ts';
import { stateName } from '../parts/value.tsx';
import { CallAudio } from './call-audio.ts';

/** Something on the time line of a call. */
export interface Item {
  /** ISO 8601; empty: it was before this page was opened. */
  readonly at: string;
  /** The type of the event. */
  readonly kind: string;
  readonly who: string;
  readonly text: string;
  /** Otherwise the next one of its kind and person replaces it. */
  readonly isFinal: boolean;
  readonly turn?: Turn;
}

/** How long the far end waited for an answer, in ms, and the stages of that, in order. Null: unknown. */
export type Turn = Omit<z.output<typeof TurnMetrics>, 'utterance_id'>;

const MOST_KEPT = 500;
const RETRY_MS = 2_000;

/** A call as its WebSocket tells it, from the moment the page is opened. */
export class LiveCall {
  /** Since it was connected. */
  readonly items: Signal<readonly Item[]> = signal([]);
  readonly speaking: Signal<ReadonlyMap<number, string>> = signal(new Map());
  /** What the browser hears; null: nothing. */
  readonly sound: Signal<CallAudio | null> = signal(null);
  readonly isConnected: Signal<boolean> = signal(false);
  readonly #callId: string;
  #socket: WebSocket | null = null;
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
    void this.sound.peek()?.close();
  }

  /** Hears the call. Call it when a button is pressed. */
  async listen(): Promise<void> {
    this.sound.value = await CallAudio.open((pcm) => this.#send(pcm as Int16Array<ArrayBuffer>));
    this.#configure(true);
  }

  /** Is heard in the call as well. Throws when the microphone is refused. */
  async speak(): Promise<void> {
    if (this.sound.peek() === null) await this.listen();
    await this.sound.peek()?.openMicrophone();
  }

  mute(): void {
    this.sound.peek()?.closeMicrophone();
    this.#tell({ type: 'clear' });
  }

  async stopListening(): Promise<void> {
    this.#configure(false);
    await this.sound.peek()?.close();
    this.sound.value = null;
  }

  #connect(): void {
    const socket = new WebSocket(socketUrl(`/api/call/${encodeURIComponent(this.#callId)}/stream`));
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.isConnected.value = true;
      this.items.value = [];
      this.#tell({ type: 'transcript_config', interim: true });
      this.#configure(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#receive(JSON.parse(data) as StreamEvent);
      else this.sound.peek()?.play(data as ArrayBuffer);
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
    const sound = this.sound.peek();
    if (sound !== null) this.#tell({ type: 'audio_config', sample_rate: sound.sampleRateHz, receive });
  }

  #tell(message: object): void {
    this.#send(JSON.stringify(message));
  }

  #send(data: string | Int16Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  #receive(event: StreamEvent): void {
    if (event.type === 'call_speaking') {
      const speaking = new Map(this.speaking.value);
      if (event.speaking) speaking.set(event.voice_id, event.name ?? '');
      else speaking.delete(event.voice_id);
      this.speaking.value = speaking;
    } else if (CHANGES.test(event.type)) {
      changes.value += 1;
    }
    const told = (ITEMS[event.type] as ((event: StreamEvent) => Partial<Item>) | undefined)?.(event);
    if (told === undefined) return;
    const at = new Date().toISOString();
    const item = { at, kind: event.type, who: '', text: '', isFinal: true, ...told };
    const replaces = ({ kind, who, isFinal }: Item): boolean =>
      !isFinal && kind === item.kind && who === item.who;
    this.items.value = [...this.items.value.filter((each) => !replaces(each)), item].slice(-MOST_KEPT);
  }
}

const CHANGES = /^call_(?:state|hold|waiting|meeting|participants|capabilities)$/;

/** What the time line shows of events; of others nothing. */
const ITEMS: {
  readonly [Type in StreamEvent['type']]?: (event: StreamEvent & { type: Type }) => Partial<Item>;
} = {
  call_transcript: ({ speaker: who, text, is_final: isFinal = true }) => ({ who, text, isFinal }),
  call_chat: ({ sender: who, text }) => ({ who, text }),
  utterance: ({ state, spoken_text: text }) => ({ text: `${state}: ${text}`, isFinal: state !== 'started' }),
  call_state: ({ state }) => ({ text: stateName(state) }),
  call_waiting: ({ reason }) => ({ text: reason }),
  dtmf: ({ digit }) => ({ text: digit }),
  call_error: ({ message }) => ({ text: message }),
  speech_unheard: ({ speaker }) => ({ text: speaker }),
  turn_metrics: (turn) => ({ turn }),
  call_answered_by: ({ answered_by: who, confidence }) => ({ text: t.answeredBy(who, confidence) }),
  beep: () => ({}),
  hold_music: ({ playing }) => ({ text: t.isOn(playing) }),
  call_hold: ({ on_hold: isHeld }) => ({ text: t.isOn(isHeld) }),
};
