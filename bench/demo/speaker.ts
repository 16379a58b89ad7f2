import type { Gateway } from '../../test/support/gateway.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { ShownCall } from './two-gateways.ts';

const TURN_DEADLINE_MS = 20_000;

/** A line that was said and heard. */
export interface Turn {
  /** All transcript lines of it. */
  readonly heard: string;
  /** From the request to the first sound. */
  readonly soundMs: number;
  /** From the last sound to the transcript; 0 if that came earlier. */
  readonly textMs: number;
}

/** What an agent with a model has answered. */
export interface Answer {
  readonly said: string;
  /** As the caller understood it. */
  readonly heard: string;
  /** From the transcript of what the caller said to the first sound. */
  readonly soundMs: number;
}

/** An event of the call WebSocket; only what the demo reads. */
interface Event {
  readonly type: string;
  readonly utterance_id?: string;
  readonly state?: string;
  readonly text?: string;
  readonly spoken_text?: string;
}

/** An agent that talks by hosted speech: it sends texts and reads transcripts. */
export class Speaker {
  /** What the gateway complained about. */
  readonly complaints: string[] = [];
  readonly #gateway: Gateway;
  readonly #call: ShownCall;
  readonly #events: (Event & { readonly atMs: number })[] = [];

  constructor(gateway: Gateway, call: ShownCall) {
    this.#gateway = gateway;
    this.#call = call;
    const socket = new WebSocket(`${call.audio.stream_url}?api_key=${gateway.agentKey}`);
    const withoutAudio = { type: 'audio_config', sample_rate: 16_000, receive: false };
    socket.onopen = () => socket.send(JSON.stringify(withoutAudio));
    socket.onmessage = ({ data }) => this.#received(JSON.parse(`${data}`));
  }

  /** Resolves when the gateway sends its events. */
  async ready(signal: AbortSignal): Promise<void> {
    await this.#next('audio_config', () => this.#find(0, 'audio_config'), signal);
  }

  /** Says a text. Resolves when it was heard. */
  async say(text: string, listener: Speaker, signal: AbortSignal): Promise<Turn> {
    const [from, heardFrom] = [this.#events.length, listener.#events.length];
    const saidMs = performance.now();
    const { body } = await this.#gateway.agentApi.post(`/api/call/${this.#call.call_id}/say`, { text });
    const of = (state: string) => () =>
      this.#find(from, 'utterance', { utterance_id: body.utterance_id, state });
    const started = await this.#next('the first sound', of('started'), signal);
    const finished = await this.#next('the last sound', of('finished'), signal);
    await this.#next('the transcript', () => listener.#find(heardFrom, 'call_transcript'), signal);
    const lines = listener.#events.slice(heardFrom).filter(({ type }) => type === 'call_transcript');
    return {
      heard: lines.map((line) => line.text).join(' '),
      soundMs: started.atMs - saidMs,
      textMs: Math.max(0, (lines.at(-1)?.atMs ?? 0) - finished.atMs),
    };
  }

  /**
   * Follows what the gateway says by itself on this call from now on. The returned function resolves when `caller` has
   * understood it.
   */
  answers(caller: Speaker): (signal: AbortSignal) => Promise<Answer> {
    const [from, heardFrom] = [this.#events.length, caller.#events.length];
    const of = (state: string) => () => this.#find(from, 'utterance', { state });
    return async (signal) => {
      const started = await this.#next('the first sound', of('started'), signal);
      const finished = await this.#next('the last sound', of('finished'), signal);
      const heard = await caller.hears(heardFrom, signal);
      const line = this.#events.findLast(
        ({ type, atMs }) => type === 'call_transcript' && atMs <= started.atMs,
      );
      const soundMs = started.atMs - (line?.atMs ?? started.atMs);
      return { said: finished.spoken_text ?? '', heard, soundMs };
    };
  }

  /** Resolves with what is understood after the first `from` events; with nothing if the call ends before. */
  async hears(from: number, signal: AbortSignal): Promise<string> {
    const found = () =>
      this.#find(from, 'call_transcript') ?? this.#find(from, 'call_state', { state: 'ended' });
    const line = await this.#next('the transcript', found, signal);
    return line.text ?? '';
  }

  /** Resolves when the call is over. */
  async ended(signal: AbortSignal): Promise<void> {
    await this.#next('the end of the call', () => this.#find(0, 'call_state', { state: 'ended' }), signal);
  }

  #received(event: Event): void {
    this.#events.push({ ...event, atMs: performance.now() });
    if (event.type === 'call_error') this.complaints.push(JSON.stringify(event));
  }

  #find(from: number, type: string, fields: Partial<Event> = {}) {
    const isIt = (event: Event) =>
      event.type === type &&
      Object.entries(fields).every(([name, value]) => event[name as keyof Event] === value);
    return this.#events.slice(from).find(isIt);
  }

  async #next(what: string, find: () => (Event & { atMs: number }) | undefined, signal: AbortSignal) {
    const found = () => {
      signal.throwIfAborted();
      if (this.complaints.length > 0) throw new Error(this.complaints[0]);
      return find();
    };
    return await waitFor(what, found, TURN_DEADLINE_MS);
  }
}
