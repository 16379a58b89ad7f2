import { WebSocket } from 'ws';
import { frameSamples } from '../../src/base/frame.ts';
import { EventLog } from './event-log.ts';
import { startMediaClock } from './media-clock.ts';
import { tone } from './tone.ts';
import { waitFor, within } from './wait-for.ts';

/** A JSON event of the call WebSocket. */
export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One binary message as it arrived. */
export interface HeardFrame {
  readonly atMs: number;
  readonly samples: Int16Array;
}

/** An AI agent's end of the call WebSocket: it speaks and hears raw PCM at one rate. */
export class Agent {
  readonly sampleRateHz: number;
  readonly heard: HeardFrame[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #events = new EventLog<StreamEvent>();

  private constructor(socket: WebSocket, sampleRateHz: number) {
    this.#socket = socket;
    this.sampleRateHz = sampleRateHz;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.heard.push({ atMs: performance.now(), samples: toSamples(data) });
      else this.#events.push(JSON.parse(data.toString('utf8')));
    });
  }

  /**
   * Connects to a call's `stream_url` with a key and declares its rate. Rejects with the HTTP status in the message
   * when the upgrade is refused.
   */
  static async join(
    streamUrl: string,
    apiKey: string,
    { sampleRateHz, receive = true }: { sampleRateHz: number; receive?: boolean },
  ): Promise<Agent> {
    const agent = await Agent.connect(streamUrl, apiKey, sampleRateHz);
    agent.send({ type: 'audio_config', sample_rate: sampleRateHz, receive });
    await agent.waitFor('audio_config');
    return agent;
  }

  /** Connects without sending anything. */
  static async connect(streamUrl: string, apiKey: string, sampleRateHz: number): Promise<Agent> {
    const url = new URL(streamUrl);
    url.searchParams.set('api_key', apiKey);
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const agent = new Agent(socket, sampleRateHz);
    const opened = new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    await within('the call WebSocket to open', opened);
    socket.on('error', () => {});
    return agent;
  }

  get events(): readonly StreamEvent[] {
    return this.#events.all;
  }

  get errors(): StreamEvent[] {
    return this.events.filter(({ type }) => type === 'call_error');
  }

  /** The next event of a type, with these fields if given. */
  waitFor(type: string, fields: Record<string, unknown> = {}, deadlineMs?: number): Promise<StreamEvent> {
    const matches = (event: StreamEvent) =>
      event.type === type && Object.entries(fields).every(([name, value]) => event[name] === value);
    return this.#events.next(`${type} ${JSON.stringify(fields)} from the gateway`, matches, deadlineMs);
  }

  /** Waits until `count` more frames have been heard, and returns them in one piece. */
  async hear(count: number, deadlineMs = count * 20 + 5_000): Promise<Int16Array> {
    const from = this.heard.length;
    await waitFor(`${count} frames from the gateway`, () => this.heard.length >= from + count, deadlineMs);
    return this.heardSamples(from, from + count);
  }

  /** Frames `from` to `to` (exclusive) of all that was heard, in one piece. */
  heardSamples(from = 0, to = this.heard.length): Int16Array {
    const frames = this.heard.slice(from, to);
    const all = new Int16Array(frames.reduce((sum, frame) => sum + frame.samples.length, 0));
    let at = 0;
    for (const { samples } of frames) {
      all.set(samples, at);
      at += samples.length;
    }
    return all;
  }

  /** Sends a JSON message, well-formed or not. */
  send(message: unknown): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Sends text or bytes as they are. */
  sendRaw(data: string | Uint8Array): void {
    this.#socket.send(data);
  }

  /** Sends PCM in one binary message. */
  speak(samples: Int16Array): void {
    this.#socket.send(toBytes(samples));
  }

  /** Sends PCM in one JSON message. */
  speakBase64(samples: Int16Array): void {
    this.send({
      type: 'audio',
      audio: toBytes(samples).toString('base64'),
      sample_rate: this.sampleRateHz,
    });
  }

  /** Streams a tone, a frame every 20 ms, until stopped. */
  startTone(toneHz: number, amplitude = 10_000): { stop(): void } {
    const lengthSamples = frameSamples(this.sampleRateHz);
    return startMediaClock((index) => {
      const fromSample = index * lengthSamples;
      this.speak(tone(toneHz, this.sampleRateHz, lengthSamples, { amplitude, fromSample }));
    });
  }

  clear(): void {
    this.send({ type: 'clear' });
  }

  mark(name: string): void {
    this.send({ type: 'mark', name });
  }

  /** Stops reading, as an agent that hangs does; the kernel's buffers fill up behind it. */
  pauseReading(): void {
    this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }

  async close(): Promise<void> {
    this.#socket.close();
    const timer = setTimeout(() => this.#socket.terminate(), 1_000);
    await this.closed;
    clearTimeout(timer);
  }
}

function toBytes(samples: Int16Array): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}

function toSamples(data: Buffer): Int16Array {
  const samples = new Int16Array(data.length >> 1);
  for (let i = 0; i < samples.length; i++) samples[i] = data.readInt16LE(i * 2);
  return samples;
}
