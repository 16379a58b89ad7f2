import type { CallActor } from '../../../src/calls/call-actor.ts';
import type { CallEvent } from '../../../src/calls/call-event.ts';
import type { SpeechSessions } from '../../../src/speech/session/speech-sessions.ts';
import type { SpeechService } from '../../../src/speech/transport/speech-protocol.ts';
import type { FakeVendor } from '../../fakes/speech-vendor/fake-vendor.ts';
import { tone } from '../../support/tone.ts';
import { TestAgent, type TestCall, until } from '../engine/support/test-engine.ts';
import { type CallerVoice, ROOM_HZ, voiceFor } from './caller-voice.ts';

const AGENT_HZ = 500;
const VOICED = 2_000;

/** A call with hosted speech by a vendor of its own, for one of both kinds. The test is the caller. */
export class VendorCall {
  readonly vendor: FakeVendor;
  readonly caller: TestCall;
  readonly events: CallEvent[] = [];
  /** What the operator is told, and when. */
  readonly told: { readonly what: string; readonly atMs: number }[] = [];
  readonly #service: SpeechService;
  readonly #voice: CallerVoice;
  readonly #sessions: SpeechSessions;
  #actor!: CallActor;

  constructor(vendor: FakeVendor, service: SpeechService, caller: TestCall, sessions: SpeechSessions) {
    this.vendor = vendor;
    this.caller = caller;
    this.#voice = voiceFor(vendor);
    this.#service = service;
    this.#sessions = sessions;
  }

  answer(actor: CallActor): void {
    this.#actor = actor;
    actor.legObserver.answered();
  }

  happened(event: CallEvent): void {
    this.events.push(event);
  }

  tell(what: string): void {
    this.told.push({ what, atMs: performance.now() });
  }

  /** The caller says these words after a pause. All that is still to be said takes 4 s at most. */
  callerSays(text: string, pauseMs = 0): void {
    this.callerPauses(pauseMs);
    this.#write(this.#voice(text));
  }

  callerPauses(pauseMs: number): void {
    this.#write(new Int16Array((pauseMs * ROOM_HZ) / 1_000));
  }

  /** How much the caller still has to say. */
  get unsaidMs(): number {
    return this.caller.says.queuedSamples / (ROOM_HZ / 1_000);
  }

  /** The agent says this. Returns the utterance's id. */
  say(text: string): string {
    return this.#sessions.say(this.#actor, text);
  }

  /** All that was understood, without punctuation. */
  get words(): string {
    const lines = this.#of('call_transcript').map(({ text }) => text);
    return lines.join(' ').toLowerCase().replaceAll(/[.,]/g, '');
  }

  /** The messages of all errors. Throws if one is of the other kind. */
  get errors(): string[] {
    return this.#of('call_error').map(({ code, message }) => {
      if (code !== `${this.#service}_failed`) throw new Error(`${code}: ${message}`);
      return message;
    });
  }

  /** What became of an utterance. */
  statesOf(id: string): string[] {
    return this.#of('utterance')
      .filter(({ utteranceId }) => utteranceId === id)
      .map(({ state }) => state);
  }

  /** When the vendor was reached again after a fault. */
  async reconnected(): Promise<number> {
    const again = () => this.told.find(({ what }) => what === `${this.#service} again`);
    await until(() => again() !== undefined);
    return again()!.atMs;
  }

  /** What the agent says without the vendor is heard. */
  async agentIsHeard(): Promise<void> {
    const { audio } = new TestAgent(this.caller.call);
    this.caller.takeHeard();
    audio.write(tone(AGENT_HZ, ROOM_HZ, ROOM_HZ / 10), ROOM_HZ);
    await until(() => this.caller.takeHeard().some((sample) => Math.abs(sample) > VOICED));
  }

  /** The far end puts the call on hold, or resumes it. */
  async hold(isOnHold: boolean): Promise<void> {
    await this.caller.run(isOnHold ? 'hold' : 'resume');
  }

  get isActive(): boolean {
    return this.#actor.state.name === 'active';
  }

  hangUp(): void {
    this.#actor.legObserver.ended('remote', { result: 'completed', reason: 'hung up' });
  }

  #write(samples: Int16Array): void {
    this.caller.says.write(samples, 0, samples.length, ROOM_HZ);
  }

  #of<Type extends CallEvent['type']>(type: Type): Extract<CallEvent, { readonly type: Type }>[] {
    return this.events.filter(
      (event): event is Extract<CallEvent, { readonly type: Type }> => event.type === type,
    );
  }
}
