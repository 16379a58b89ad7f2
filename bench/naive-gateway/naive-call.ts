import { createSocket, type Socket } from 'node:dgram';
import type { WebSocket } from 'ws';
import { decodeMuLaw, downsample, encodeMuLaw, upsample } from './naive-audio.ts';
import type { NaiveSpeech } from './naive-speech.ts';

const HEADER_BYTES = 12;
const FRAME_SAMPLES = 160;
const AGENT_FRAME_BYTES = 640;
/** Packets that wait at first, and at most. */
const PREFILL_PACKETS = 3;
const MAX_PACKETS = 10;
const MAX_AGENT_BYTES = 60 * 50 * AGENT_FRAME_BYTES;
const SILENCE = new Int16Array(FRAME_SAMPLES);

/** One call: packets and PCM wait in arrays until the tick. */
export class NaiveCall {
  readonly #socket: Socket = createSocket('udp4');
  readonly #host: string;
  readonly #port: number;
  readonly #packets: Buffer[] = [];
  #agent: WebSocket | null = null;
  #speech: NaiveSpeech | null = null;
  #fromAgent = Buffer.alloc(0);
  #agentStarted = false;
  #playing = false;
  #lastUpsampled = 0;
  #sequence = 0;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
    this.#socket.on('message', (packet) => {
      this.#packets.push(packet);
      if (this.#packets.length > MAX_PACKETS) this.#packets.shift();
    });
    this.#socket.on('error', () => {});
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#socket.bind(0, this.#host, () => resolve(this.#socket.address().port));
    });
  }

  join(agent: WebSocket): void {
    this.#agent = agent;
    agent.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) agent.send(JSON.stringify({ type: 'audio_config', sample_rate: 16_000 }));
      else if (this.#fromAgent.length < MAX_AGENT_BYTES)
        this.#fromAgent = Buffer.concat([this.#fromAgent, data]);
    });
    agent.on('close', () => {
      this.#agent = null;
    });
  }

  /** Speaks and listens by a vendor instead of an agent. */
  host(speech: NaiveSpeech): void {
    this.#speech = speech;
  }

  tick(): void {
    if (this.#speech === null) {
      this.#toAgent();
      this.#toPhone(this.#agentFrame());
    } else {
      this.#speech.hear(this.#heard());
      this.#toPhone(this.#speech.frame() ?? SILENCE);
    }
  }

  #heard(): Int16Array {
    if (!this.#playing && this.#packets.length >= PREFILL_PACKETS) this.#playing = true;
    const packet = this.#playing ? this.#packets.shift() : undefined;
    if (packet === undefined) this.#playing = false;
    return packet === undefined ? SILENCE : Int16Array.from(packet.subarray(HEADER_BYTES), decodeMuLaw);
  }

  #toAgent(): void {
    const heard = this.#heard();
    const pcm = upsample(heard, this.#lastUpsampled);
    this.#lastUpsampled = heard[FRAME_SAMPLES - 1] ?? 0;
    this.#agent?.send(Buffer.from(pcm.buffer));
  }

  #agentFrame(): Int16Array {
    if (!this.#agentStarted && this.#fromAgent.length >= 3 * AGENT_FRAME_BYTES) this.#agentStarted = true;
    if (this.#agentStarted && this.#fromAgent.length >= AGENT_FRAME_BYTES) {
      const pcm = downsample(this.#fromAgent.subarray(0, AGENT_FRAME_BYTES));
      this.#fromAgent = this.#fromAgent.subarray(AGENT_FRAME_BYTES);
      return pcm;
    }
    this.#agentStarted = false;
    return SILENCE;
  }

  #toPhone(pcm: Int16Array): void {
    this.#socket.send(this.#packet(pcm), this.#port, this.#host);
  }

  #packet(pcm: Int16Array): Buffer {
    const packet = Buffer.alloc(HEADER_BYTES + FRAME_SAMPLES);
    packet[0] = 0x80;
    packet.writeUInt16BE(this.#sequence & 0xffff, 2);
    packet.writeUInt32BE((this.#sequence * FRAME_SAMPLES) >>> 0, 4);
    packet.writeUInt32BE(this.#port, 8);
    packet.set(Uint8Array.from(pcm, encodeMuLaw), HEADER_BYTES);
    this.#sequence++;
    return packet;
  }
}
