import { WebSocket } from 'ws';
import { OpusDecoder, OpusEncoder } from '../../src/audio/opus.ts';
import { WasmOpus } from '../../src/audio/opus-wasm.ts';
import { startMediaClock } from './media-clock.ts';
import { tone } from './tone.ts';
import { waitFor, within } from './wait-for.ts';

const RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;
const MAX_PACKET_BYTES = 1_500;
const TUNING = { bitrateBps: 32_000, complexity: 4, lossPercent: 0, signal: 'voice' } as const;

/** An AI agent that speaks and hears packets of Opus on the call WebSocket. */
export class OpusAgent {
  readonly sampleRateHz = RATE_HZ;
  readonly heard: Uint8Array[] = [];
  readonly events: { readonly type: string }[] = [];
  readonly #socket: WebSocket;
  readonly #opus = new WasmOpus();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.heard.push(new Uint8Array(data));
      else this.events.push(JSON.parse(data.toString('utf8')));
    });
  }

  static async join(streamUrl: string, apiKey: string): Promise<OpusAgent> {
    const url = new URL(streamUrl);
    url.searchParams.set('api_key', apiKey);
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const agent = new OpusAgent(socket);
    await within('the WebSocket to open', new Promise((resolve) => socket.once('open', resolve)));
    const config = { type: 'audio_config', sample_rate: RATE_HZ, format: 'opus', receive: true };
    socket.send(JSON.stringify(config));
    await waitFor('audio_config', () => agent.events.some(({ type }) => type === 'audio_config'));
    return agent;
  }

  /** Streams a tone, a packet every 20 ms, some ahead, until stopped. */
  startTone(toneHz: number, aheadFrames = 10): { stop(): void } {
    const encoder = new OpusEncoder(this.#opus, RATE_HZ, TUNING);
    const packet = new Uint8Array(MAX_PACKET_BYTES);
    let sent = 0;
    const send = () => {
      const frame = tone(toneHz, RATE_HZ, FRAME_SAMPLES, { fromSample: sent++ * FRAME_SAMPLES });
      this.#socket.send(packet.subarray(0, encoder.encode(frame, packet, 0, MAX_PACKET_BYTES)));
    };
    for (let n = 0; n < aheadFrames; n++) send();
    return startMediaClock(send);
  }

  /** Waits for more packets and returns what a decoder makes of all from the first on. */
  async hear(count: number): Promise<Int16Array> {
    const from = this.heard.length;
    await waitFor(`${count} packets`, () => this.heard.length >= from + count);
    const decoder = new OpusDecoder(this.#opus, RATE_HZ);
    const samples = new Int16Array((from + count) * FRAME_SAMPLES);
    this.heard.slice(0, from + count).forEach((bytes, index) => {
      const payload = { bytes, payloadOffset: 0, payloadLength: bytes.length };
      decoder.decode(payload, samples, index * FRAME_SAMPLES, FRAME_SAMPLES);
    });
    decoder.free();
    return samples.subarray(from * FRAME_SAMPLES);
  }

  close(): void {
    this.#socket.close();
  }
}
