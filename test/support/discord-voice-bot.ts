import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  type DiscordGatewayAdapterLibraryMethods,
  EndBehaviorType,
  entersState,
  joinVoiceChannel,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { Decoder, Encoder } from '@evan/opus';
import type { FakeVoice } from '../fakes/discord/voice/fake-voice.ts';
import { Tone } from './tone.ts';

const RATE_HZ = 48_000;
const FRAME_MS = 20;
const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1_000;
const READY_MS = 10_000;

/** Where a bot joins. */
export interface BotPlace {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
}

/** A bot by @discordjs/voice in this process, with the main gateway played by hand. */
export class DiscordVoiceBot {
  readonly place: BotPlace;
  readonly connection: VoiceConnection;
  readonly log: string[] = [];
  readonly #voice: FakeVoice;
  readonly #encoder = new Encoder({ channels: 2, sample_rate: RATE_HZ, application: 'audio' });
  #library: DiscordGatewayAdapterLibraryMethods | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** What the library asked the main gateway for. */
  rejoins = 0;

  private constructor(voice: FakeVoice, place: BotPlace) {
    this.#voice = voice;
    this.place = place;
    this.connection = joinVoiceChannel({
      guildId: place.guildId,
      channelId: place.channelId,
      selfDeaf: false,
      selfMute: false,
      group: place.userId,
      debug: true,
      adapterCreator: (library) => {
        this.#library = library;
        return { sendPayload: (payload) => this.#toGateway(payload), destroy: () => undefined };
      },
    });
    this.connection.on('debug', (line) => this.log.push(line));
    this.connection.on('error', (error) => this.log.push(`error: ${error.message}`));
  }

  /** Starts to join; `ready` tells when it is in. */
  static join(voice: FakeVoice, place: BotPlace): DiscordVoiceBot {
    const ca = readFileSync(voice.caFile, 'utf8');
    setDefaultCACertificates([...getCACertificates('default'), ca]);
    return new DiscordVoiceBot(voice, place);
  }

  async ready(): Promise<void> {
    await entersState(this.connection, VoiceConnectionStatus.Ready, READY_MS);
  }

  /** Sings until `stop`. */
  sing(toneHz: number, bitrateBps = 64_000): void {
    const tone = new Tone(toneHz, RATE_HZ, 0.3);
    const frame = new Int16Array(FRAME_SAMPLES);
    const stereo = new Int16Array(FRAME_SAMPLES * 2);
    this.#encoder.bitrate = bitrateBps;
    let dueMs = performance.now();
    const step = () => {
      for (; dueMs <= performance.now(); dueMs += FRAME_MS) {
        tone.fill(frame);
        for (let i = 0; i < FRAME_SAMPLES; i++) stereo.fill(frame[i]!, 2 * i, 2 * i + 2);
        this.connection.playOpusPacket(Buffer.from(this.#encoder.encode(stereo)));
      }
      this.#timer = setTimeout(step, dueMs - performance.now());
    };
    step();
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.connection.setSpeaking(false);
  }

  /** Listens to a person: mono frames at 48 kHz, as they come. */
  listen(userId: string): Int16Array[] {
    const heard: Int16Array[] = [];
    const decoder = new Decoder({ channels: 1, sample_rate: RATE_HZ });
    const stream = this.connection.receiver.subscribe(userId, { end: { behavior: EndBehaviorType.Manual } });
    stream.on('data', (packet: Buffer) => {
      const pcm = decoder.decode(packet);
      heard.push(new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
    });
    stream.on('error', (error) => this.log.push(`stream: ${error.message}`));
    return heard;
  }

  leave(): void {
    this.stop();
    if (this.connection.state.status !== VoiceConnectionStatus.Destroyed) this.connection.destroy();
  }

  /** Plays the main gateway's answer to opcode 4. */
  #toGateway({ d }: { d: { channel_id: string | null } }): boolean {
    const { guildId, userId } = this.place;
    if (d.channel_id === null) {
      this.#voice.left(guildId, userId);
      return true;
    }
    this.rejoins += 1;
    setImmediate(() => this.connectTo(d.channel_id ?? ''));
    return true;
  }

  /** The main gateway names a session and a server for it. */
  connectTo(channelId: string): void {
    const { guildId, userId } = this.place;
    const stay = { guildId, channelId, userId, sessionId: randomUUID(), token: randomUUID() };
    this.#voice.expect(stay);
    const { sessionId, token } = stay;
    this.#library?.onVoiceStateUpdate({
      guild_id: guildId,
      channel_id: channelId,
      user_id: userId,
      session_id: sessionId,
    } as Parameters<DiscordGatewayAdapterLibraryMethods['onVoiceStateUpdate']>[0]);
    this.#library?.onVoiceServerUpdate({ guild_id: guildId, token, endpoint: this.#voice.endpoint });
  }
}
