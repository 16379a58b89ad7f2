import { addJitterCounters, newJitterCounters } from '../../audio/jitter-counters.ts';
import { SummingBus } from '../../audio/summing-bus.ts';
import { frameSamples } from '../../base/frame.ts';
import { onePer } from '../../base/one-per.ts';
import type { VoiceDecoder } from '../codecs/voice-codec.ts';
import type { RtpPacket } from '../rtp-packet.ts';
import type { PacketOpen } from '../rtp-protocol.ts';
import { Source } from './source.ts';
import { GONE_AFTER_MS, OTHERS, VoicePlaces } from './voice-places.ts';

/** Where sources are summed, by sample rate. Legs use it one after another. */
const busFor = onePer((sampleRateHz) => new SummingBus(frameSamples(sampleRateHz), 1));

/** Sources that a leg receives at a time. Packets of any further ones are dropped. */
export const MAX_SOURCES = 32;
/** A source that shares a voice gets one of its own only while it speaks. */
const SPEAKING_MS = 1_000;

interface SourcesDeps {
  readonly roomRateHz: number;
  readonly maxJitterDelayMs: number;
  readonly speakers: PacketOpen['speakers'];
  /** The call's memory. */
  readonly memory: SharedArrayBuffer;
  readonly nowMs: number;
  /** A source has a voice of its own from now on. */
  readonly onVoice: (voice: number, source: number) => void;
}

/** The sources of a leg and the voices they have. Times are wall-clock. */
export class Sources {
  readonly #deps: SourcesDeps;
  readonly #places: VoicePlaces;
  readonly #sources: Source[] = [];
  /** The source of each voice; undefined while it is gone. The last voice has none. */
  readonly #byVoice: (Source | undefined)[] = Array.from({ length: OTHERS });
  /** Made before the first frame, because it compiles WebAssembly. */
  readonly #bus: SummingBus;
  /** Counts of the sources that are gone. */
  readonly #gone = newJitterCounters();
  /** Counts of all sources, as last summed. */
  readonly #total = newJitterCounters();

  constructor(deps: SourcesDeps) {
    this.#deps = deps;
    this.#places = new VoicePlaces(deps.memory, deps.nowMs);
    this.#bus = busFor(deps.roomRateHz);
    this.#places.forEach(deps.onVoice);
  }

  get size(): number {
    return this.#sources.length;
  }

  /** Returns the speaker of a packet; null when it is not known. */
  find(packet: RtpPacket): Source | null {
    const id = this.#idOf(packet);
    for (let i = 0; i < this.#sources.length; i++) if (this.#sources[i]!.id === id) return this.#sources[i]!;
    return null;
  }

  /** Whether another source fits. Releases those that are gone. */
  hasRoom(nowMs: number): boolean {
    this.#releaseGone(nowMs);
    return this.#sources.length < MAX_SOURCES;
  }

  /** Adds the speaker of a packet. Takes ownership of the decoder. */
  add(packet: RtpPacket, decoder: VoiceDecoder, nowMs: number): Source {
    const source = new Source(this.#idOf(packet), OTHERS, { ...this.#deps, decoder }, nowMs);
    this.#sources.push(source);
    this.#giveVoice(source, nowMs);
    return source;
  }

  /** Inserts a packet of the source. Returns false when the payload is not valid for the codec. */
  insert(source: Source, packet: RtpPacket, arrivalMs: number, nowMs: number): boolean {
    if (source.stream !== packet.ssrc) this.#move(source, packet.ssrc);
    if (!source.insert(packet, arrivalMs)) return false;
    source.heardAtMs = nowMs;
    if (source.voice !== OTHERS) this.#places.note(source.voice, nowMs);
    return true;
  }

  /** Fills a frame of this voice. Returns false when it is silent; the frame is then undefined. */
  pull(voice: number, frame: Int16Array): boolean {
    if (voice === OTHERS) return this.#pullOthers(frame);
    return this.#byVoice[voice]?.pull(frame) ?? false;
  }

  /** See `Voice`. It is unknown for several in one voice. */
  arrivedAtMs(voice: number): number | null | undefined {
    return this.#byVoice[voice]?.arrivedAtMs;
  }

  /** Releases the sources that are gone, and gives free voices to those that share one. Call it once a second. */
  tend(nowMs: number): void {
    this.#releaseGone(nowMs);
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i]!;
      if (source.voice === OTHERS && nowMs - source.heardAtMs < SPEAKING_MS) this.#giveVoice(source, nowMs);
    }
  }

  /** Releases all sources. Voices stay reserved for them. */
  clear(): void {
    for (let i = this.#sources.length - 1; i >= 0; i--) this.#release(i);
  }

  /** The longest delay of a source's jitter buffer; 0 while nobody is heard. */
  get delayMs(): number {
    let longestMs = 0;
    for (let i = 0; i < this.#sources.length; i++) longestMs = Math.max(longestMs, this.#sources[i]!.delayMs);
    return longestMs;
  }

  /** Counts of all sources since the leg was opened. Always the same object. */
  count() {
    const total = Object.assign(this.#total, this.#gone);
    for (let i = 0; i < this.#sources.length; i++) addJitterCounters(total, this.#sources[i]!.counters);
    return total;
  }

  /** Sums the sources that have no voice of their own. */
  #pullOthers(frame: Int16Array): boolean {
    const bus = this.#bus;
    let heard = 0;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i]!;
      if (source.voice !== OTHERS || !source.pull(bus.voice(0))) continue;
      if (heard === 0) bus.clear();
      bus.add(0);
      heard++;
    }
    if (heard === 0) return false;
    bus.leaveOutNobody();
    frame.set(bus.rest);
    return true;
  }

  #idOf(packet: RtpPacket): number {
    return this.#deps.speakers === 'csrc' ? packet.contributor : packet.ssrc;
  }

  #giveVoice(source: Source, nowMs: number): void {
    const former = this.#places.find(source.id);
    source.voice = former === OTHERS ? this.#places.take(source.id, nowMs) : former;
    if (source.voice === OTHERS) return;
    this.#byVoice[source.voice] = source;
    if (former === OTHERS) this.#deps.onVoice(source.voice, source.id);
  }

  /** A stream has one speaker at a time: sequence numbers between two of its packets are another's. */
  #move(source: Source, stream: number): void {
    for (let i = 0; i < this.#sources.length; i++) this.#sources[i]!.leave(stream);
    source.moveTo(stream);
  }

  #releaseGone(nowMs: number): void {
    for (let i = this.#sources.length - 1; i >= 0; i--)
      if (nowMs - this.#sources[i]!.heardAtMs >= GONE_AFTER_MS) this.#release(i);
  }

  #release(index: number): void {
    const source = this.#sources[index]!;
    this.#sources.splice(index, 1);
    if (source.voice !== OTHERS) this.#byVoice[source.voice] = undefined;
    addJitterCounters(this.#gone, source.counters);
    source.close();
  }
}
