import { assert } from '../../base/assert.ts';
import type { RecognizedLine } from '../../base/speech.ts';
import type { OpenTransport, Transport, TransportHost } from '../../media/transport.ts';
import { Doorbell } from '../../rings/doorbell.ts';
import { SentLevel } from '../../rings/sent-level.ts';
import { Hearing } from '../hearing/hearing.ts';
import { interruptionOf } from '../hearing/interruption.ts';
import type { ConnectRecognizer } from '../hearing/listening.ts';
import type { SuppressedVoice } from '../hearing/noise-suppression.ts';
import { meteredRecognizer, meteredSynthesizer } from '../metering/metered.ts';
import { CountsReport } from '../metering/speech-meter.ts';
import { Speaking } from '../speaking/speaking.ts';
import type { Synthesizer, SynthesizerObserver } from '../tts/synthesizer.ts';
import { AskedPlaces } from './asked-places.ts';
import { clientsOf, type ProviderClients, type SpeechParts } from './speech-parts.ts';
import type { SaidUtterance, SpeechCommands, SpeechOpen, SpeechSignal } from './speech-protocol.ts';

/** Returns the function that opens the speech of a call on this bridge thread. */
export function speechWith(parts: SpeechParts): OpenTransport<SpeechOpen, SpeechCommands, SpeechSignal> {
  return async (open, _memory, host) => new SpeechTransport(open, parts, host);
}

/** The hosted speech of one call: its voice and its ears, at their vendors on one side and in the call on the other. */
class SpeechTransport implements Transport<SpeechCommands> {
  readonly commands = {
    say: async (utterance: SaidUtterance) => this.#speaking?.say(utterance),
    name: async (voice: number, speaker: string) => this.#hearing?.name(voice, speaker),
    wantInterims: async (areWanted: boolean) => {
      this.#wantsInterims = areWanted;
    },
    givePlace: async (placeId: number, isFree: boolean) => this.#places.answer(placeId, isFree),
    finish: async () => this.#finish(),
  };
  readonly #outbox: SignalOutbox;
  readonly #places: AskedPlaces;
  readonly #providers: readonly ProviderClients[];
  readonly #counts: CountsReport;
  readonly #host: TransportHost<SpeechSignal>;
  readonly #doorbell: Doorbell;
  readonly #speaking: Speaking | null;
  readonly #hearing: Hearing | null;
  #wantsInterims = false;

  constructor(open: SpeechOpen, parts: SpeechParts, host: TransportHost<SpeechSignal>) {
    this.#host = host;
    this.#outbox = new SignalOutbox(host);
    this.#places = new AskedPlaces((signal) => this.#outbox.send(signal));
    this.#providers = parts.providers(this.#places, parts.readingTime.of(open.accountId));
    this.#counts = new CountsReport(parts.clock, this.#outbox);
    this.#doorbell = new Doorbell(open.rings.doorbell);
    this.#hearing = this.#newHearing(open, parts);
    // Last, because it connects to the vendor.
    this.#speaking = this.#newSpeaking(open, parts);
    this.#doorbell.listen(() => this.#guard(() => this.#look()));
  }

  close(): void {
    this.#doorbell.stop();
    // Ends within 2 s, after the task. What fails then concerns nobody.
    this.#finish().catch(() => {});
  }

  async #finish(): Promise<void> {
    await Promise.all([this.#speaking?.close(), this.#hearing?.close()]);
    this.#counts.end();
  }

  #look(): void {
    this.#speaking?.look();
    this.#hearing?.look();
    this.#outbox.flush();
    this.#counts.look();
  }

  #newSpeaking({ rings, roomRateHz, tts }: SpeechOpen, { split, clock }: SpeechParts): Speaking | null {
    if (tts === null) return null;
    const { synthesizer: make } = clientsOf(this.#providers, tts.provider);
    assert(make !== undefined, `${tts.provider} has no text-to-speech`);
    const connect = (observer: SynthesizerObserver): Synthesizer =>
      meteredSynthesizer((metered) => make(tts.preset, roomRateHz, this.#guarded(metered)), observer, {
        meter: this.#counts.meter,
        clock,
      });
    return new Speaking(
      { rings, split, clock, connect },
      {
        utterance: (report) => this.#outbox.send({ type: 'utterance', ...report }),
        fault: (fault) => this.#outbox.send({ type: 'fault', service: 'tts', fault }),
        reconnected: () => this.#outbox.send({ type: 'reconnected', service: 'tts' }),
      },
    );
  }

  /** Returns null where nobody understands what is said. */
  #connectionTo(
    stt: SpeechOpen['stt'],
    rateHz: number,
    clock: SpeechParts['clock'],
  ): ConnectRecognizer | null {
    if (stt === null) return null;
    const { recognizer: make } = clientsOf(this.#providers, stt.provider);
    assert(make !== undefined, `${stt.provider} has no speech-to-text`);
    return (observer) =>
      meteredRecognizer((metered) => make(stt.preset, rateHz, this.#guarded(metered)), observer, {
        meter: this.#counts.meter,
        clock,
      });
  }

  #newHearing(open: SpeechOpen, { newDetector, suppression, clock }: SpeechParts): Hearing | null {
    const { stt, tts, rings, voices, accountId } = open;
    if (voices === null) return null;
    const { taps, speaker } = voices;
    const rateHz = taps[0]?.sampleRateHz;
    assert(rateHz !== undefined, 'somebody is to be heard');
    const connect = this.#connectionTo(stt, rateHz, clock);
    const interruption = interruptionOf(tts?.preset.options ?? {});
    const isInterruptible = (): boolean => interruption.how !== 'off' && this.#speaking?.isPlaying === true;
    const sent = new SentLevel(rings.sent);
    const suppress = (voiceRateHz: number): SuppressedVoice | null =>
      stt && suppression.of(accountId, stt.preset, voiceRateHz, () => this.#counts.meter.unsuppressed());
    return new Hearing(
      { taps, speaker, sent, isInterruptible, interruption, newDetector, clock, connect, suppress },
      {
        heard: (line) => this.#outbox.send({ type: 'transcript', ...line }),
        interim: (line) => this.#interim(line),
        activity: (speaker, state, isVendor) =>
          this.#outbox.send({ type: 'activity', speaker, state, isVendor }),
        unheard: (speaker, reason) => this.#outbox.send({ type: 'unheard', speaker, reason }),
        paused: () => this.#speaking?.pause(),
        resumed: () => this.#speaking?.resume(),
        interrupted: () => this.#interrupted(),
        fault: (fault) => this.#outbox.send({ type: 'fault', service: 'stt', fault }),
        reconnected: () => this.#outbox.send({ type: 'reconnected', service: 'stt' }),
        missed: (missedMs) => this.#outbox.send({ type: 'missed', missedMs }),
      },
    );
  }

  #interrupted(): void {
    this.#outbox.send({ type: 'silenced' });
    this.#speaking?.interrupt();
  }

  #interim(line: RecognizedLine): void {
    if (!this.#wantsInterims) return;
    if (!this.#outbox.offer({ type: 'interim', ...line })) this.#counts.meter.interimDropped();
  }

  /** Ends the speech of this call because of a bug. Uncaught, it would end the thread and all its transports. */
  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#host.fail(error);
    }
  }

  /** Clients call their observer from the callbacks of sockets. */
  #guarded<Observer extends object>(observer: Observer): Observer {
    return new Proxy(observer, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => void;
        return (...args: unknown[]): void => this.#guard(() => method.apply(target, args));
      },
    });
  }
}

/** Signals kept for a main thread that is behind. It then has several minutes of speech to catch up with. */
const MAX_KEPT = 1_000;

/** Signals on their way to the main thread, in order. None of those handed to `send` is lost: if too many wait, the speech of the call fails. */
class SignalOutbox {
  readonly #host: TransportHost<SpeechSignal>;
  readonly #kept: SpeechSignal[] = [];

  constructor(host: TransportHost<SpeechSignal>) {
    this.#host = host;
  }

  send(signal: SpeechSignal): void {
    this.#kept.push(signal);
    this.flush();
    if (this.#kept.length > MAX_KEPT) this.#host.fail(new Error('The main thread does not take signals'));
  }

  /** Sends a signal that others make up for, unless the main thread is behind. Returns whether it was sent. */
  offer(signal: SpeechSignal): boolean {
    return this.#kept.length === 0 && this.#host.emit(signal);
  }

  /** Sends what was kept. Call it again and again. */
  flush(): void {
    for (let signal = this.#kept[0]; signal !== undefined; signal = this.#kept[0]) {
      if (!this.#host.emit(signal)) return;
      this.#kept.shift();
    }
  }
}
