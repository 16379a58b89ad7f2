import type { TurnMetrics } from '../../../src/base/speech.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import { RTP_MEDIA } from '../../../src/rtp/rtp-protocol.ts';
import { newLocalShares } from '../../../src/speech/session/local-shares.ts';
import { SpeechSessions } from '../../../src/speech/session/speech-sessions.ts';
import type { SpeechSettings } from '../../../src/speech/session/speech-settings.ts';
import { BridgePool } from '../../../src/threads/bridge-pool.ts';
import { Engine } from '../../../src/threads/engine.ts';
import type { MeasuredTurn } from '../../../src/threads/protocol.ts';
import { claimRtpPorts, type PortClaim } from '../../support/free-ports.ts';
import { type Phone, PhoneThread } from '../../support/speech/phone-thread.ts';
import type { PhoneLine } from '../../support/speech/rtp-phone.ts';
import { RecordingEngineObserver } from '../engine/support/test-engine.ts';
import { baseConfig } from '../rtp/rtp-peer.ts';
import { type Notice, noticeChannel } from './noted-detector.ts';
import { newSpeechCall } from './speech-call-actor.ts';

type UtteranceEvent = Extract<CallEvent, { readonly type: 'utterance' }>;

/** One call of a PhoneWorld, with its phone. */
export class PhoneCall {
  readonly phone: Phone;
  readonly utterances: UtteranceEvent[] = [];
  readonly speech: string[] = [];
  readonly turns: TurnMetrics[] = [];
  readonly measured: MeasuredTurn[] = [];
  /** When the phone's voice was noticed over what is spoken. `performance.now()` of this thread. */
  readonly noticedAtMs: number[] = [];
  readonly #sessions: SpeechSessions;
  #actor: CallActor | null = null;

  constructor(phone: Phone, sessions: SpeechSessions) {
    this.phone = phone;
    this.#sessions = sessions;
  }

  answer(actor: CallActor): void {
    this.#actor = actor;
    actor.legObserver.answered();
  }

  happened(event: CallEvent): void {
    if (event.type === 'utterance') this.utterances.push(event);
    if (event.type === 'speech') this.speech.push(event.state);
    if (event.type === 'turn_metrics') this.turns.push(event);
  }

  say(text: string): string {
    return this.#sessions.say(this.#actor as CallActor, text);
  }

  stop(): void {
    this.#sessions.stopSpeaking(this.#actor as CallActor);
  }

  hangUp(): void {
    this.#actor?.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
  }

  /** The last that was told of an utterance. */
  last(id: string): UtteranceEvent | undefined {
    return this.utterances.findLast(({ utteranceId }) => utteranceId === id);
  }

  stateOf(id: string): string | undefined {
    return this.last(id)?.state;
  }
}

/** Phone calls with hosted speech, over an engine thread and bridge threads as they are. Phones are sockets. */
export class PhoneWorld {
  readonly calls: PhoneCall[] = [];
  readonly #engine: Engine;
  readonly #pool: BridgePool;
  readonly #ports: PortClaim;
  readonly #phones: PhoneThread;
  /** All detectors are on one bridge thread, in the order of their calls. */
  readonly #notices = noticeChannel();

  private constructor(engine: Engine, ports: PortClaim, phones: PhoneThread) {
    this.#engine = engine;
    this.#ports = ports;
    this.#phones = phones;
    this.#notices.onmessage = ({ data }: { data: unknown }) => {
      const { index, atMs } = data as Notice;
      this.calls[index]?.noticedAtMs.push(atMs - performance.timeOrigin);
    };
    this.#pool = new BridgePool({
      observer: { transportLost() {}, threadStalled() {}, fault() {} },
      workerUrl: new URL('./phone.worker.ts', import.meta.url),
    });
  }

  /** Calls with these settings that have been answered, one for each line. */
  static async start(lines: readonly PhoneLine[], settings: SpeechSettings): Promise<PhoneWorld> {
    const ports = await claimRtpPorts(4 * lines.length);
    const observer = new RecordingEngineObserver();
    const engine = await Engine.start({ threads: 1, callsPerThread: null, stallMs: 2_000, observer });
    const places = lines.map((line, i) => ({ ...line, ...portsOf(ports, i) }));
    const world = new PhoneWorld(engine, ports, await PhoneThread.start(places));
    const sessions = new SpeechSessions({
      bridges: world.#pool,
      local: newLocalShares(systemClock),
      events: { speechFailed() {}, speechReconnected() {}, speechCounted() {}, queueFull() {} },
      clock: systemClock,
      recordUsage: async () => {},
      settingsOf: () => settings,
    });
    for (const [i] of lines.entries()) await world.#connect(i, sessions);
    return world;
  }

  async #connect(index: number, sessions: SpeechSessions): Promise<void> {
    const call = new PhoneCall(this.#phones.phones[index]!, sessions);
    const { port, toPort } = portsOf(this.#ports, index);
    const engineCall = this.#engine.place(`call_${index}`, {
      ended() {},
      heard: (fact) => actor.answer?.heard(fact),
      turned: (turn) => {
        call.measured.push(turn);
        actor.turnClock.measured(turn);
      },
    });
    const open = { bindHost: '127.0.0.1', rtpPort: toPort, sampleRateHz: 8_000, bound: null };
    const media = await engineCall.media.open(RTP_MEDIA, open, () => {});
    await media.configure(baseConfig(port));
    this.calls.push(call);
    const actor = newSpeechCall(`call_${index}`, engineCall, (it, event) => {
      call.happened(event);
      sessions.happened(it, event);
    });
    call.answer(actor);
  }

  async stop(): Promise<void> {
    for (const call of this.calls) call.hangUp();
    await this.#engine.close(1_000);
    await this.#pool.close(1_000);
    await this.#phones.stop();
    this.#notices.close();
    this.#ports.release();
  }
}

/** Of the phone, and of the call. */
function portsOf({ first }: PortClaim, index: number): { readonly port: number; readonly toPort: number } {
  return { port: first + 4 * index, toPort: first + 4 * index + 2 };
}
