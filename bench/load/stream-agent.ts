import { WebSocket } from 'ws';
import { ArrivalCounter, type LatenessHistogram } from './arrivals.ts';
import { ProbeListener, probeFrames } from './probe-tone.ts';

export const AGENT_SAMPLE_RATE_HZ = 16_000;

const PROBE = probeFrames(AGENT_SAMPLE_RATE_HZ).map((frame) => Buffer.from(frame.buffer));

/** One agent: streams the probe signal and checks what it hears. */
export class StreamAgent {
  framesSent = 0;
  connected = false;
  readonly errors: string[] = [];
  readonly arrivals: ArrivalCounter;
  readonly listener = new ProbeListener(AGENT_SAMPLE_RATE_HZ);
  /** Resolves when the gateway has taken the agent's rate; rejects when it does not let it in. */
  readonly joined: Promise<void>;
  readonly #socket: WebSocket;
  #frameCount = 0;

  constructor(streamUrl: string, apiKey: string, histogram: LatenessHistogram) {
    this.arrivals = new ArrivalCounter(histogram);
    const url = new URL(streamUrl);
    url.searchParams.set('api_key', apiKey);
    this.#socket = new WebSocket(url, { perMessageDeflate: false });
    this.joined = new Promise((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.on('open', () => this.#configure());
      this.#socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) this.#hear(data);
        else this.#event(JSON.parse(data.toString('utf8')), resolve);
      });
    });
    this.#socket.on('close', () => {
      this.connected = false;
    });
  }

  send(): void {
    if (!this.connected) return;
    this.#socket.send(PROBE[this.#frameCount++ & 1] as Buffer);
    if (this.arrivals.counting) this.framesSent++;
  }

  begin(): void {
    this.framesSent = 0;
    this.errors.length = 0;
    this.listener.breaks = 0;
    this.arrivals.begin();
  }

  #configure(): void {
    const config = { type: 'audio_config', sample_rate: AGENT_SAMPLE_RATE_HZ, receive: true };
    this.#socket.send(JSON.stringify(config));
  }

  #event(event: { type: string; code?: string; message?: string }, joined: () => void): void {
    if (event.type === 'call_error') this.errors.push(event.code ?? event.message ?? 'unknown');
    if (event.type !== 'audio_config') return;
    this.connected = true;
    joined();
  }

  #hear(data: Buffer): void {
    // A frame at an odd address cannot be read in place.
    const bytes = data.byteOffset % 2 === 0 ? data : Buffer.from(data);
    const frame = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
    this.listener.hear(frame, this.arrivals.counting);
    this.arrivals.arrived(performance.now());
  }
}
