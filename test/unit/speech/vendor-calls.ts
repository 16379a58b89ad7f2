import { systemClock } from '../../../src/base/time.ts';
import { newLocalShares } from '../../../src/speech/session/local-shares.ts';
import { SpeechSessions } from '../../../src/speech/session/speech-sessions.ts';
import type { SpeechSettings } from '../../../src/speech/session/speech-settings.ts';
import type { SpeechService } from '../../../src/speech/transport/speech-protocol.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import type { Engine } from '../../../src/threads/engine.ts';
import type { FakeVendor } from '../../fakes/speech-vendor/fake-vendor.ts';
import { startTestEngine, TestCall } from '../engine/support/test-engine.ts';
import { ROOM_HZ } from './caller-voice.ts';
import { newSpeechCall } from './speech-call-actor.ts';
import { VendorCall } from './vendor-call.ts';

const NO_SPEECH: SpeechSettings = { stt: null, tts: null };

/** What is hosted on a call, by which vendor. */
export interface Hosted {
  readonly vendor: FakeVendor;
  readonly service: SpeechService;
  /** Those of the preset. */
  readonly options: object;
}

/** Calls at the same time, over one engine thread and the gateway's own bridge threads. */
export class VendorCalls {
  readonly #engine: Engine;
  readonly #pool: BridgePool;
  readonly #sessions: SpeechSessions;
  readonly #calls = new Map<string, { readonly call: VendorCall; readonly settings: SpeechSettings }>();

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#pool = new BridgePool({ observer: { transportLost() {}, threadStalled() {}, fault() {} } });
    const tell = (callId: string, what: string) => this.#calls.get(callId)?.call.tell(what);
    this.#sessions = new SpeechSessions({
      bridges: this.#pool,
      local: newLocalShares(systemClock),
      events: {
        speechFailed: ({ callId }, { service }, { words }) => tell(callId, `${service} failed: ${words}`),
        speechReconnected: ({ callId }, { service }) => tell(callId, `${service} again`),
        speechCounted() {},
        queueFull() {},
      },
      clock: systemClock,
      recordUsage: async () => {},
      settingsOf: ({ identity }) => this.#calls.get(identity.callId)?.settings ?? NO_SPEECH,
    });
  }

  static async start(): Promise<VendorCalls> {
    const { engine } = await startTestEngine();
    return new VendorCalls(engine);
  }

  /** A call that has been answered. */
  async connect({ vendor, service, options }: Hosted): Promise<VendorCall> {
    const callId = `call_${this.#calls.size}`;
    const caller = new TestCall(this.#engine, callId, ROOM_HZ);
    const call = new VendorCall(vendor, service, caller, this.#sessions);
    const preset = { url: vendor.url, key: vendor.keyThatIs('valid'), options: { ...options } };
    const settings = { ...NO_SPEECH, [service]: { provider: vendor.manners.name, preset } };
    this.#calls.set(callId, { call, settings });
    await caller.openSilently();
    const actor = newSpeechCall(callId, caller.call, (it, event) => {
      call.happened(event);
      this.#sessions.happened(it, event);
    });
    call.answer(actor);
    return call;
  }

  async stop(): Promise<void> {
    await this.#engine.close(1_000);
    await this.#pool.close(1_000);
  }
}
