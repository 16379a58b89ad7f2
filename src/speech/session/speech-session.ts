import { unreachable } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { PLATFORM_TRAITS } from '../../base/platform.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { Clock } from '../../base/time.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { wallMs } from '../../base/wall-ms.ts';
import type { CallActor, Silencer } from '../../calls/call-actor.ts';
import type { CallIdentity } from '../../calls/call-event.ts';
import { MAX_VOICES } from '../../media/media-leg.ts';
import type { Bridges } from '../../media/transport.ts';
import { Doorbell } from '../../rings/doorbell.ts';
import { type FrameRing, patientRingMemory } from '../../rings/frame-ring.ts';
import { SpeechControl } from '../../rings/speech-control.ts';
import { newSpeechRings } from '../../rings/speech-rings.ts';
import type { BusinessEvents } from '../../telemetry/business-events.ts';
import type { SpeechSource } from '../../telemetry/speech-metrics.ts';
import type { SpeechCounts } from '../metering/speech-meter.ts';
import type {
  SaidUtterance,
  SpeechOpen,
  SpeechService,
  UtteranceReport,
} from '../transport/speech-protocol.ts';
import { CallPlaces, type LocalShares } from './local-shares.ts';
import { type SessionSignal, SpeechLink, type SpeechLinkDeps } from './speech-link.ts';
import type { SpeechSettings } from './speech-settings.ts';
import { type RecordSpeechUsage, SpeechUsage } from './speech-usage.ts';

/** Higher rates do not help recognition. */
const MAX_TAP_RATE_HZ = 16_000;

const SERVICES = ['stt', 'tts'] as const;

const SERVICE_NAMES: Readonly<Record<SpeechService, string>> = {
  stt: 'Speech recognition',
  tts: 'Text-to-speech',
};

export interface SpeechSessionDeps {
  readonly bridges: Bridges;
  readonly local: LocalShares;
  readonly events: Pick<BusinessEvents, 'speechFailed' | 'speechReconnected' | 'speechCounted' | 'queueFull'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly recordUsage: RecordSpeechUsage;
}

type Activity = Extract<SessionSignal, { readonly type: 'activity' }>;

/** Hosted speech of one call, on the main thread: sends what is to be said, and publishes what is heard. */
export class SpeechSession {
  readonly #call: CallActor;
  readonly #settings: SpeechSettings;
  readonly #deps: SpeechSessionDeps;
  readonly #rings = newSpeechRings();
  readonly #control = new SpeechControl(this.#rings.control);
  readonly #doorbell = new Doorbell(this.#rings.doorbell);
  readonly #pending: PendingUtterances;
  readonly #usage: SpeechUsage;
  /** What was said before the call was active, or before the beep that it waits for. */
  readonly #early: SaidUtterance[] = [];
  #link: SpeechLink | null = null;
  /** Who speaks now. */
  readonly #speaking = new Set<string>();
  /** Its transport was lost too often. */
  #isOver = false;

  constructor(call: CallActor, settings: SpeechSettings, deps: SpeechSessionDeps) {
    this.#call = call;
    this.#settings = settings;
    this.#deps = deps;
    this.#pending = new PendingUtterances(deps.clock);
    this.#usage = new SpeechUsage(call.identity, deps.recordUsage, () => deps.clock.monotonicMs());
  }

  /**
   * Connects to the vendors, so that the first text need not wait for it. Call it when the far end may be heard, and again
   * when the call is active: it hears nothing before.
   */
  begin(): void {
    if (this.#link === null) this.#connect();
    if (this.#link === null || !this.#maySpeak) return;
    for (const said of this.#early.splice(0)) this.#link.say(said);
  }

  /** The far end hears it, and is not a machine that is yet to beep. */
  get #maySpeak(): boolean {
    return this.#call.state.name === 'active' && this.#call.answer?.isSpeechHeld !== true;
  }

  #connect(): void {
    const open = this.#opening();
    if (open.tts === null && open.stt === null) return;
    const { room, answer } = this.#call;
    if (answer !== null) answer.onRelease = () => this.begin();
    room.hostSpeech(open.rings);
    for (const [voice, tap] of (open.voices?.taps ?? []).entries()) room.tap(voice, tap);
    this.#link = new SpeechLink(this.#linkDeps(), open, {
      signal: (signal) => this.#received(signal),
      lost: (reason, again) => this.#lost(reason, again),
      unsaid: (utteranceId) => this.#settleUnheard(utteranceId, 'failed'),
    });
    if (this.#call.interims.isWanted) this.#link.wantInterims(true);
    this.#call.interims.watch((areWanted) => this.#link?.wantInterims(areWanted));
  }

  /** Returns the utterance's id. See `HostedSpeech.say`. */
  say(text: string): string {
    if (this.#settings.tts === null) throw new GatewayError('tts_not_configured');
    if (!this.#call.snapshot().capabilities.includes('audio_out'))
      throw new GatewayError('capability_missing');
    if (this.#isOver) throw new GatewayError('speech_failed');
    const said = this.#added(text);
    this.#call.turnClock.said(said.utteranceId, wallMs());
    if (this.#link === null || !this.#maySpeak) this.#early.push(said);
    else this.#link.say(said);
    return said.utteranceId;
  }

  /** Takes effect with the engine's next tick, whatever the bridge thread is doing. */
  stop(): void {
    if (this.#settings.tts === null) return;
    if (!this.#pending.isEmpty) {
      this.#control.ask();
      this.#doorbell.ring();
    }
    // Also while nothing is said: more may be on its way.
    this.#silenced('client');
    for (const { utteranceId } of this.#early.splice(0)) this.#settleUnheard(utteranceId, 'interrupted');
  }

  /** Who a voice belongs to from now on. */
  name(voice: number, speaker: string): void {
    this.#link?.name(voice, speaker);
  }

  /** The call is over. Resolves when the vendors' sessions have ended. */
  async end(): Promise<void> {
    await this.#link?.close();
    await this.#usage.write();
  }

  #linkDeps(): SpeechLinkDeps {
    const { bridges, local } = this.#deps;
    const { accountId } = this.#call.identity;
    return { bridges, newPlaces: (answer) => new CallPlaces(local, accountId, answer) };
  }

  #opening(): SpeechOpen {
    const { accountId, sampleRateHz: roomRateHz, platform } = this.#call.identity;
    const { capabilities, namesSpeakers } = PLATFORM_TRAITS[platform];
    // The call may gain later what it does not offer yet.
    const tts = capabilities.includes('audio_out') ? this.#settings.tts : null;
    const hears = capabilities.includes('audio_in');
    const stt = hears ? this.#settings.stt : null;
    const rings = this.#rings;
    const isInterrupted = tts !== null && tts.preset.options.interruption !== 'off';
    if (!hears || (stt === null && !isInterrupted))
      return { accountId, rings, roomRateHz, tts, stt, voices: null };
    const taps = newTaps(namesSpeakers ? MAX_VOICES : 1, Math.min(roomRateHz, MAX_TAP_RATE_HZ));
    const speaker = namesSpeakers ? null : phoneSpeaker(this.#call.identity);
    return { accountId, rings, roomRateHz, tts, stt, voices: { taps, speaker } };
  }

  #added(text: string): SaidUtterance {
    try {
      return this.#pending.add(text, this.#control.asked);
    } catch (error) {
      this.#deps.events.queueFull('speech');
      throw error;
    }
  }

  #received(signal: SessionSignal): void {
    switch (signal.type) {
      case 'utterance':
        return this.#utterance(signal);
      case 'silenced':
        return this.#silenced('person');
      case 'transcript':
        return this.#call.transcribed(lineOf(signal));
      case 'interim':
        return this.#call.interims.tell(lineOf(signal));
      case 'activity':
        return this.#activity(signal);
      case 'unheard': {
        const { speaker, reason } = signal;
        if (!this.#call.isOver) this.#call.publish({ type: 'speech_unheard', speaker, reason });
        return;
      }
      case 'fault':
        return this.#failed(signal.service, signal.fault.words, signal.fault);
      case 'reconnected':
        return this.#deps.events.speechReconnected(this.#call.snapshot(), this.#sourceOf(signal.service));
      case 'missed':
        return this.#deps.events.queueFull('heard_speech');
      case 'counts':
        return this.#counted(signal);
      default:
        return unreachable(signal);
    }
  }

  #activity({ speaker, state, isVendor }: Activity): void {
    if (this.#call.isOver) return;
    const isNews = this.#speaking.has(speaker) !== (state === 'started');
    if (state === 'ended') this.#speaking.delete(speaker);
    else this.#speaking.add(speaker);
    if (isNews && state === 'ended') this.#call.turnClock.paused(wallMs());
    if (isNews) this.#call.publish({ type: 'speech', speaker, state });
    this.#call.turnEnds.spoke(speaker, state, isVendor);
  }

  #silenced(by: Silencer): void {
    if (!this.#call.isOver) this.#call.silenced(by);
  }

  #utterance({ utteranceId, state, playedMs, spokenText, audioMs, isEstimate }: UtteranceReport): void {
    if (state === 'started') this.#call.turnClock.played(utteranceId, audioMs);
    if (state !== 'started' && !this.#pending.settle(utteranceId)) return;
    if (this.#call.isOver) return;
    this.#call.publish({ type: 'utterance', utteranceId, state, playedMs, spokenText, isEstimate });
  }

  #counted(counts: SpeechCounts): void {
    const { events } = this.#deps;
    for (const service of SERVICES)
      if (this.#settings[service] !== null) events.speechCounted(this.#sourceOf(service), counts);
    if (counts.droppedInterims > 0) events.queueFull('interim_results', counts.droppedInterims);
    if (counts.unsuppressed > 0) events.queueFull('noise_suppression', counts.unsuppressed);
    this.#usage.add(counts);
  }

  #sourceOf(service: SpeechService): SpeechSource {
    return { service, provider: this.#settings[service]?.provider ?? 'none' };
  }

  /** `words` are for clients, `fault` for the operator. */
  #failed(
    service: SpeechService,
    words: string,
    fault: { readonly kind: string; readonly words: string },
  ): void {
    this.#deps.events.speechFailed(this.#call.snapshot(), this.#sourceOf(service), fault);
    if (this.#call.isOver) return;
    const message = `${SERVICE_NAMES[service]} failed: ${words}`;
    this.#call.publish({ type: 'call_error', code: `${service}_failed`, message });
  }

  /**
   * The bridge thread died. What it has left in the ring is dropped, because nobody knows what it is. What was stopped
   * before has not failed.
   */
  #lost(reason: string, again: boolean): void {
    this.#isOver = !again;
    this.#early.length = 0;
    const { asked } = this.#control;
    this.#control.ask();
    for (const { utteranceId, generation } of this.#pending.all)
      this.#settleUnheard(utteranceId, generation === asked ? 'failed' : 'interrupted');
    const words = again ? 'internal error; it is started again' : 'internal error';
    for (const service of SERVICES)
      if (this.#settings[service] !== null) this.#failed(service, words, { kind: 'internal', words: reason });
  }

  /** Nothing is known of what was heard. */
  #settleUnheard(utteranceId: string, state: 'failed' | 'interrupted'): void {
    const isEstimate = this.#link !== null;
    this.#utterance({ utteranceId, state, playedMs: 0, spokenText: '', audioMs: null, isEstimate });
  }
}

function lineOf({ speaker, text, startMs, endMs, confidence, language }: RecognizedLine): RecognizedLine {
  return { speaker, text, startMs, endMs, confidence, language };
}

function newTaps(voices: number, sampleRateHz: number): FrameRing[] {
  return Array.from({ length: voices }, () => ({ sampleRateHz, memory: patientRingMemory(sampleRateHz) }));
}

/** Limits per call. */
const MAX_UTTERANCES = 32;
const MAX_CHARACTERS = 20_000;
/** Texts that are over at once, such as a blank one, are limited by their rate. */
const RATE = { most: MAX_UTTERANCES, perSecond: 20 };

/** The texts of a call that are not over. */
class PendingUtterances {
  /** By id, in the order of `say`. */
  readonly #said = new Map<string, SaidUtterance>();
  #characters = 0;
  readonly #rate: TokenBucket;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#rate = new TokenBucket(clock, RATE);
  }

  get all(): readonly SaidUtterance[] {
    return [...this.#said.values()];
  }

  get isEmpty(): boolean {
    return this.#said.size === 0;
  }

  /** Adds a text. @throws GatewayError `too_much_speech` */
  add(text: string, generation: number): SaidUtterance {
    const isFull = this.#said.size >= MAX_UTTERANCES || this.#characters + text.length > MAX_CHARACTERS;
    if (isFull || !this.#rate.take(1)) throw new GatewayError('too_much_speech');
    const said = { utteranceId: newId('utt'), text, generation };
    this.#said.set(said.utteranceId, said);
    this.#characters += text.length;
    return said;
  }

  /** Returns false when it was over already. */
  settle(utteranceId: string): boolean {
    this.#characters -= this.#said.get(utteranceId)?.text.length ?? 0;
    return this.#said.delete(utteranceId);
  }
}

/** The number or name of the other party of a phone call. */
export function phoneSpeaker({ direction, caller, meetingUrl }: CallIdentity): string {
  if (direction === 'inbound') return caller || 'unknown caller';
  return /^sips?:(?<user>[^@;?]+)(?:[;?][^@]*)?@/i.exec(meetingUrl)?.groups?.user ?? meetingUrl;
}
