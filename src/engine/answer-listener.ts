import { framePower } from '../audio/frame-power.ts';
import { pureToneHz } from '../audio/pure-tone.ts';
import { FRAME_MS } from '../base/frame.ts';
import type { HeardFact } from '../threads/protocol.ts';
import { SoundFloor } from './sound-floor.ts';
import { SteadyPitch } from './steady-pitch.ts';

/** −46 dBFS. */
const LEAST = 10 ** -4.6;
const ABOVE_NOISE = 6.3;
/** Sound for so long is speech, silence for so long ends it: pauses between words are shorter. */
const BEGIN_FRAMES = 60 / FRAME_MS;
const END_FRAMES = 300 / FRAME_MS;
/** Below is the pitch of voices. */
const LEAST_HZ = 300;
/** A tone keeps its frequency so well, and lasts so long at least. Told while it lasts, too. */
const SAME_HZ = 0.02;
const TONE_FRAMES = 100 / FRAME_MS;
const LASTING_FRAMES = 400 / FRAME_MS;
/** Music is looked for in so long, most of which sounds, and much of which are notes. */
const MUSIC_FRAMES = 6_000 / FRAME_MS;
const MUSIC_SOUND = 0.85;
const MUSIC_NOTES = 0.35;
const TALK_NOTES = 0.12;

/**
 * Hears who or what has answered a call: when somebody speaks, pure tones, music. Tells what happens, not what it means.
 * Allocates for what it tells only.
 */
export class AnswerListener {
  readonly #tell: (fact: HeardFact) => void;
  readonly #rateHz: number;
  readonly #floor = new SoundFloor();
  readonly #pitch: SteadyPitch;
  #frames = 0;
  #soundFrames = 0;
  #quietFrames = 0;
  #isSpeaking = false;
  #toneHz = 0;
  #toneFrames = 0;
  /** Of the last 6 s: 0 silence, 1 sound, 2 a note. */
  readonly #recent = new Uint8Array(MUSIC_FRAMES);
  #sounds = 0;
  #notes = 0;
  #isMusic = false;

  constructor(sampleRateHz: number, tell: (fact: HeardFact) => void) {
    this.#tell = tell;
    this.#rateHz = sampleRateHz;
    this.#pitch = new SteadyPitch(sampleRateHz);
  }

  /** Takes the next 20 ms; null: nothing came. */
  take(frame: Int16Array | null): void {
    this.#frames++;
    const power = frame === null ? 0 : framePower(frame);
    const isSound = power > LEAST && power > ABOVE_NOISE * this.#floor.power;
    this.#floor.take(power);
    const hz = frame !== null && power > LEAST ? pureToneHz(frame, this.#rateHz) : 0;
    this.#followTone(hz < LEAST_HZ ? 0 : hz);
    // The frame in which a tone begins is none yet, and the next one may be a vowel.
    this.#followSpeech(isSound && this.#toneFrames < 2);
    const isNote = frame !== null && power > LEAST && this.#pitch.take(frame);
    this.#followMusic(power > LEAST, isNote);
  }

  get #nowMs(): number {
    return this.#frames * FRAME_MS;
  }

  #followSpeech(isSound: boolean): void {
    this.#soundFrames = isSound ? this.#soundFrames + 1 : 0;
    this.#quietFrames = isSound ? 0 : this.#quietFrames + 1;
    if (!this.#isSpeaking && this.#soundFrames >= BEGIN_FRAMES) {
      this.#isSpeaking = true;
      this.#tell({ type: 'speech', isOn: true, atMs: this.#nowMs - BEGIN_FRAMES * FRAME_MS });
    }
    if (this.#isSpeaking && this.#quietFrames >= END_FRAMES) {
      this.#isSpeaking = false;
      this.#tell({ type: 'speech', isOn: false, atMs: this.#nowMs - END_FRAMES * FRAME_MS });
    }
  }

  #followTone(hz: number): void {
    if (hz !== 0 && Math.abs(hz - this.#toneHz) <= SAME_HZ * this.#toneHz) {
      this.#toneFrames++;
      if (this.#toneFrames === LASTING_FRAMES) this.#tellTone(false);
      return;
    }
    if (this.#toneFrames >= TONE_FRAMES) this.#tellTone(true);
    this.#toneHz = hz;
    this.#toneFrames = hz === 0 ? 0 : 1;
  }

  #tellTone(isOver: boolean): void {
    const ms = this.#toneFrames * FRAME_MS;
    this.#tell({ type: 'tone', hz: Math.round(this.#toneHz), ms, isOver, atMs: this.#nowMs - ms });
  }

  #followMusic(isSound: boolean, isNote: boolean): void {
    const at = this.#frames % MUSIC_FRAMES;
    const former = this.#recent[at] as number;
    if (former > 0) this.#sounds--;
    if (former === 2) this.#notes--;
    if (isSound) this.#sounds++;
    if (isSound && isNote) this.#notes++;
    this.#recent[at] = isSound ? (isNote ? 2 : 1) : 0;
    const isMusic = this.#isMusic
      ? this.#notes > TALK_NOTES * MUSIC_FRAMES
      : this.#sounds > MUSIC_SOUND * MUSIC_FRAMES && this.#notes > MUSIC_NOTES * MUSIC_FRAMES;
    if (isMusic === this.#isMusic) return;
    this.#isMusic = isMusic;
    this.#tell({ type: 'music', isOn: isMusic, atMs: this.#nowMs });
  }
}
