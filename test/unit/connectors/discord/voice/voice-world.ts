import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { VoiceAccess, VoiceSignal } from '../../../../../src/connectors/discord/voice/voice-protocol.ts';
import { openVoiceTransport } from '../../../../../src/connectors/discord/voice/voice-transport.ts';
import type { TransportHost } from '../../../../../src/media/transport.ts';
import { newPacketRings } from '../../../../../src/rings/bridge-rings.ts';
import { FakeVoice, type FakeVoiceOptions } from '../../../../fakes/discord/voice/fake-voice.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RingEngine } from './ring-engine.ts';

export const GUILD = '1001';
export const CHANNEL = '2001';
export const BOT = '3001';

/** A voice server, and sessions with it on this thread. */
export class VoiceWorld {
  readonly voice: FakeVoice;
  readonly #sessions: TestSession[] = [];
  #lastId = 0;

  private constructor(voice: FakeVoice) {
    this.voice = voice;
  }

  static async start(options: FakeVoiceOptions = {}): Promise<VoiceWorld> {
    const voice = await FakeVoice.start(options);
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(voice.caFile, 'utf8')]);
    return new VoiceWorld(voice);
  }

  /** What Discord's gateway tells a bot that has entered the channel. */
  access(channelId = CHANNEL): VoiceAccess {
    this.#lastId++;
    const stay = {
      guildId: GUILD,
      channelId,
      userId: BOT,
      sessionId: `session-${this.#lastId}`,
      token: `token-${this.#lastId}`,
    };
    this.voice.expect(stay);
    return { ...stay, endpoint: this.voice.endpoint };
  }

  async open(access = this.access()): Promise<TestSession> {
    const session = await TestSession.open(access);
    this.#sessions.push(session);
    return session;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.close();
    await this.voice.stop();
  }
}

/** A voice transport on this thread, with the engine's end of its rings. */
export class TestSession {
  readonly signals: VoiceSignal[] = [];
  readonly failures: unknown[] = [];
  readonly engine: RingEngine;
  close: () => void = () => undefined;

  private constructor(engine: RingEngine) {
    this.engine = engine;
  }

  static async open(access: VoiceAccess): Promise<TestSession> {
    const rings = newPacketRings();
    const session = new TestSession(new RingEngine(rings));
    const host: TransportHost<VoiceSignal> = {
      emit: (signal) => session.signals.push(signal) > 0,
      fail: (error) => session.failures.push(error),
      turn: async () => () => undefined,
    };
    const transport = await openVoiceTransport(
      { accountId: 'acc_1', access, rings },
      new SharedArrayBuffer(0),
      host,
    );
    session.close = () => {
      transport.close();
      session.engine.close();
    };
    return session;
  }

  of<Type extends VoiceSignal['type']>(type: Type): Extract<VoiceSignal, { type: Type }>[] {
    return this.signals.filter((signal) => signal.type === type) as Extract<VoiceSignal, { type: Type }>[];
  }

  async opened(): Promise<void> {
    await this.has('opened');
  }

  async has(type: VoiceSignal['type'], times = 1): Promise<void> {
    await waitFor(`${type}, ${times} times`, () => this.of(type).length >= times);
  }
}
