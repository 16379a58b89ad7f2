import {
  createAudioPlayer,
  createAudioResource,
  EndBehaviorType,
  entersState,
  joinVoiceChannel,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import prism from 'prism-media';
import type { WebSocket } from 'ws';
import type { NaiveDiscord } from './naive-discord.ts';

/** Mono, as an agent speaks and listens. */
const OPUS = { rate: 48_000, channels: 1, frameSize: 960 } as const;
const BITRATE_BPS = 64_000;
/** Frames of 20 ms that wait at first, and at most. */
const PREFILL_FRAMES = 3;
const MAX_FRAMES = 10;
const READY_MS = 20_000;

/** Frames of a speaker that wait for the tick. */
interface Voice {
  readonly frames: Buffer[];
  isPlaying: boolean;
}

/** The bot in one voice channel: receive streams and an audio player of the library, decoders and an encoder of prism-media. */
export class NaiveChannel {
  readonly #connection: VoiceConnection;
  readonly #voices = new Map<string, Voice>();
  readonly #encoder = new prism.opus.Encoder(OPUS);
  readonly #player = createAudioPlayer({ behaviors: { maxMissedFrames: Number.POSITIVE_INFINITY } });
  #agent: WebSocket | null = null;
  #agentFrames = 0;

  private constructor(connection: VoiceConnection) {
    this.#connection = connection;
    this.#encoder.setBitrate(BITRATE_BPS);
    connection.subscribe(this.#player);
    connection.receiver.speaking.on('start', (userId) => this.#listen(userId));
  }

  static async enter(discord: NaiveDiscord, guildId: string, channelId: string): Promise<NaiveChannel> {
    const connection = joinVoiceChannel({
      guildId,
      channelId,
      group: discord.userId,
      selfDeaf: false,
      selfMute: false,
      adapterCreator: discord.adapter(guildId),
    });
    await entersState(connection, VoiceConnectionStatus.Ready, READY_MS);
    return new NaiveChannel(connection);
  }

  join(agent: WebSocket): void {
    this.#agent = agent;
    agent.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#speak(data);
      else agent.send(JSON.stringify({ type: 'audio_config', sample_rate: OPUS.rate }));
    });
    agent.on('close', () => {
      this.#agent = null;
    });
  }

  /** Sends the agent the next 20 ms of everybody. */
  tick(): void {
    const mixed = new Int16Array(OPUS.frameSize);
    for (const voice of this.#voices.values()) {
      if (voice.frames.length >= PREFILL_FRAMES) voice.isPlaying = true;
      const frame = voice.isPlaying ? voice.frames.shift() : undefined;
      if (frame === undefined) voice.isPlaying = false;
      else add(mixed, new Int16Array(frame.buffer, frame.byteOffset, frame.length / 2));
    }
    this.#agent?.send(Buffer.from(mixed.buffer));
  }

  #speak(pcm: Buffer): void {
    this.#encoder.write(pcm);
    this.#agentFrames++;
    if (this.#agentFrames === PREFILL_FRAMES)
      this.#player.play(createAudioResource(this.#encoder, { inputType: StreamType.Opus }));
  }

  #listen(userId: string): void {
    if (this.#voices.has(userId)) return;
    const voice: Voice = { frames: [], isPlaying: false };
    this.#voices.set(userId, voice);
    const packets = this.#connection.receiver.subscribe(userId, {
      end: { behavior: EndBehaviorType.Manual },
    });
    const decoder = packets.pipe(new prism.opus.Decoder(OPUS));
    decoder.on('data', (frame: Buffer) => {
      voice.frames.push(frame);
      if (voice.frames.length > MAX_FRAMES) voice.frames.shift();
    });
    for (const stream of [packets, decoder]) stream.on('error', () => {});
    packets.on('close', () => this.#voices.delete(userId));
  }
}

function add(mixed: Int16Array, voice: Int16Array): void {
  for (let i = 0; i < mixed.length; i++)
    mixed[i] = Math.max(-32_768, Math.min(32_767, mixed[i]! + (voice[i] ?? 0)));
}
