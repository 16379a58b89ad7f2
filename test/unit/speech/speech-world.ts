import { systemClock } from '../../../src/base/time.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { newLocalShares } from '../../../src/speech/session/local-shares.ts';
import { SpeechSessions } from '../../../src/speech/session/speech-sessions.ts';
import type { SpeechSettings } from '../../../src/speech/session/speech-settings.ts';
import type { UsedSpeech } from '../../../src/speech/session/speech-usage.ts';
import type { SpeechPreset } from '../../../src/speech/speech-preset.ts';
import type { CountedSpeech, SpeechSource } from '../../../src/telemetry/speech-metrics.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import type { ToneEars } from '../../support/speech/tone-recognizer.ts';
import type { ToneVoice } from '../../support/speech/tone-synthesizer.ts';
import { startTestEngine, TestCall } from '../engine/support/test-engine.ts';
import { newSpeechCall } from './speech-call-actor.ts';

export const ROOM_HZ = 8_000;
export const AGENT_HZ = 500;
export const CALLER_HZ = 1_300;

const VOICE: ToneVoice = {
  format: { encoding: 's16le', sampleRateHz: 24_000 },
  toneHz: AGENT_HZ,
  msPerCharacter: 100,
  firstByteMs: 10,
  lateMessages: 20,
};
const EARS: ToneEars = {
  format: { encoding: 's16le', sampleRateHz: ROOM_HZ },
  chunkMs: 100,
  tonesHz: [AGENT_HZ, CALLER_HZ],
};
const SPOKEN = { provider: 'tones', preset: testPreset(VOICE) };
const HEARD = { provider: 'tones', preset: testPreset(EARS) };
export const BOTH: SpeechSettings = { tts: SPOKEN, stt: HEARD };

/** A phone call with hosted speech, over a real engine thread and a real bridge thread. The test is the caller. */
export class SpeechWorld {
  readonly engine: Engine;
  readonly pool: BridgePool;
  readonly sessions: SpeechSessions;
  readonly caller: TestCall;
  readonly call: CallActor;
  readonly events: CallEvent[] = [];
  /** What the operator is told. */
  readonly told: string[] = [];
  readonly counted: (SpeechSource & CountedSpeech)[] = [];
  readonly used: UsedSpeech[] = [];

  private constructor(engine: Engine, settings: SpeechSettings) {
    this.engine = engine;
    this.pool = new BridgePool({
      observer: {
        transportLost: (_kind, reason) => this.told.push(`lost: ${reason}`),
        threadStalled: () => this.told.push('stalled'),
        fault: ({ message }) => this.told.push(`fault: ${message}`),
      },
      workerUrl: new URL('./test.worker.ts', import.meta.url),
    });
    this.sessions = new SpeechSessions({
      bridges: this.pool,
      local: newLocalShares(systemClock),
      events: {
        speechFailed: (_call, { service }, { words }) => void this.told.push(`${service} failed: ${words}`),
        speechReconnected: (_call, { service }) => void this.told.push(`${service} again`),
        speechCounted: (source, counts) => void this.counted.push({ ...source, ...counts }),
        queueFull: (queue) => void this.told.push(`full: ${queue}`),
      },
      clock: systemClock,
      recordUsage: async (_call, used) => void this.used.push(used),
      settingsOf: () => settings,
    });
    this.caller = new TestCall(engine, 'call_1', ROOM_HZ);
    this.call = newSpeechCall('call_1', this.caller.call, (actor, event) => {
      this.events.push(event);
      this.sessions.happened(actor, event);
    });
  }

  /** A call that is not active yet. */
  static async start(settings: SpeechSettings = BOTH): Promise<SpeechWorld> {
    const { engine } = await startTestEngine();
    const world = new SpeechWorld(engine, settings);
    await world.caller.openSilently();
    return world;
  }

  answer(): void {
    this.call.legObserver.answered();
  }

  say(text: string): string {
    return this.sessions.say(this.call, text);
  }

  stop(): void {
    this.sessions.stopSpeaking(this.call);
  }

  hangUp(): void {
    this.call.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
  }

  /** The events of one type. */
  of<Type extends CallEvent['type']>(type: Type): Extract<CallEvent, { readonly type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<CallEvent, { readonly type: Type }> => event.type === type,
    );
  }

  /** What became of an utterance. */
  statesOf(id: string): string[] {
    return this.of('utterance')
      .filter(({ utteranceId }) => utteranceId === id)
      .map(({ state }) => state);
  }

  async stopAll(): Promise<void> {
    await this.engine.close(1_000);
    await this.pool.close(1_000);
  }
}

export function testPreset(options: object): SpeechPreset {
  return { url: '', key: '', options: { ...options } };
}
