import { beforeEach, describe, expect, it } from 'vitest';
import type { RecognizedLine } from '../../../src/base/speech.ts';
import { FrameRingProducer, frameRingMemory } from '../../../src/rings/frame-ring.ts';
import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import { Hearing } from '../../../src/speech/hearing/hearing.ts';
import { interruptionOf } from '../../../src/speech/hearing/interruption.ts';
import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { LevelDetector } from '../../support/speech/level-detector.ts';
import { ScriptedRecognizer } from '../../support/speech/scripted-recognizer.ts';

const RATE_HZ = 8_000;
const FRAME = 160;
const LINEAR: AudioFormat = { encoding: 's16le', sampleRateHz: RATE_HZ };

interface SceneOptions {
  readonly isUnderstood?: boolean;
  /** Of the preset that speaks. */
  readonly options?: object;
  readonly voices?: number;
  readonly speaker?: string | null;
  readonly format?: AudioFormat;
  readonly chunkMs?: number;
  readonly pauses?: boolean;
}

/** The hearing of a call without threads. A voice speaks with a level that is its number. */
class Scene {
  readonly clock = new ManualClock();
  readonly recognizers: ScriptedRecognizer[] = [];
  readonly detectors: LevelDetector[] = [];
  readonly heard: RecognizedLine[] = [];
  readonly lines: Pick<RecognizedLine, 'speaker' | 'text'>[] = [];
  readonly interims: RecognizedLine[] = [];
  readonly activity: string[] = [];
  readonly unheard: string[] = [];
  /** What became of the utterance. */
  readonly verdicts: string[] = [];
  readonly faults: SpeechFault[] = [];
  missedMs = 0;
  /** Whether an utterance is played. */
  isPlaying = false;
  interruptions = 0;
  readonly hearing: Hearing;
  readonly #rings: FrameRingProducer[];

  constructor({
    voices = 8,
    speaker = null,
    format = LINEAR,
    chunkMs = 100,
    pauses = false,
    isUnderstood = true,
    options = {},
  }: SceneOptions = {}) {
    const taps = Array.from({ length: voices }, () => {
      return { sampleRateHz: RATE_HZ, memory: frameRingMemory(RATE_HZ) };
    });
    this.#rings = taps.map(({ memory }) => new FrameRingProducer(memory, RATE_HZ));
    const connect = (vendor: ScriptedRecognizer['vendor']): ScriptedRecognizer => {
      const recognizer = new ScriptedRecognizer(vendor, { format, chunkMs });
      this.recognizers.push(recognizer);
      return recognizer;
    };
    const newDetector = (): LevelDetector => {
      const detector = new LevelDetector();
      this.detectors.push(detector);
      return detector;
    };
    this.hearing = new Hearing(
      {
        taps,
        speaker,
        connect: isUnderstood ? connect : null,
        newDetector,
        suppress: () => null,
        clock: this.clock,
        sent: { take: () => (this.isPlaying ? 1 : 0) },
        isInterruptible: () => this.isPlaying,
        interruption: interruptionOf({ interruption: pauses ? 'pause' : 'auto', ...options }),
      },
      {
        heard: (line) => {
          this.heard.push(line);
          this.lines.push({ speaker: line.speaker, text: line.text });
        },
        interim: (line) => this.interims.push(line),
        paused: () => this.verdicts.push('paused'),
        resumed: () => this.verdicts.push('resumed'),
        interrupted: () => {
          this.verdicts.push('stopped');
          this.interruptions++;
        },
        activity: (who, state) => this.activity.push(`${who} ${state}`),
        unheard: (who, reason) => this.unheard.push(`${who} ${reason}`),
        fault: (fault) => this.faults.push(fault),
        reconnected: () => {},
        missed: (missedMs) => {
          this.missedMs += missedMs;
        },
      },
    );
  }

  /** Lets time pass while these voices speak, counted from 1. */
  speak(milliseconds: number, ...speaking: number[]): void {
    for (let ms = 0; ms < milliseconds; ms += 20) {
      for (const [voice, ring] of this.#rings.entries()) {
        const isSpeaking = speaking.includes(voice + 1);
        ring.write(new Int16Array(FRAME).fill(isSpeaking ? levelOf(voice + 1) : 0));
      }
      this.clock.advance(20);
      this.hearing.look();
    }
  }

  /** Lets time pass without any frames, as on hold. */
  hold(milliseconds: number): void {
    for (let ms = 0; ms < milliseconds; ms += 1_000) {
      this.clock.advance(1_000);
      this.hearing.look();
    }
  }

  /** Writes frames that are read too late. */
  overrun(frames: number): void {
    for (let i = 0; i < frames; i++) this.#rings[0]?.write(new Int16Array(FRAME));
    this.hearing.look();
  }
}

function levelOf(voice: number): number {
  return voice * 1_000;
}

/** The milliseconds in which a recognizer heard exactly this level. */
function msOf(recognizer: ScriptedRecognizer, level: number): number {
  return (recognizer.samples.filter((sample) => sample === level).length * 1000) / RATE_HZ;
}

let scene: Scene;

describe('a call with named speakers', () => {
  beforeEach(() => {
    scene = new Scene();
  });

  it('listens to a voice from half a second before it speaks', () => {
    scene.speak(2_000);
    expect(scene.recognizers).toHaveLength(0);
    scene.speak(300, 2);
    expect(scene.recognizers).toHaveLength(1);
    const [recognizer] = scene.recognizers;
    expect(recognizer!.heardMs).toBe(800);
    scene.speak(100, 2);
    expect([msOf(recognizer!, levelOf(2)), msOf(recognizer!, 0)]).toEqual([400, 500]);
  });

  it('gives times since it is tapped, of interim results too, and texts of bounded length', () => {
    scene.speak(2_000);
    scene.speak(300, 2);
    const { vendor } = scene.recognizers[0]!;
    const known = { confidence: 0.5, language: 'en' };
    vendor.interim({ text: ' hel', startMs: 500, endMs: 600.4, speaker: null, ...known });
    vendor.interim({ text: ' ', startMs: 500, endMs: 600, speaker: null, ...known });
    vendor.final({ text: 'x'.repeat(10_001), startMs: 500, endMs: null, speaker: 'y'.repeat(100), ...known });
    expect(scene.interims).toEqual([
      { speaker: 'Speaker 2', text: 'hel', startMs: 2_000, endMs: 2_100, ...known },
    ]);
    const speaker = `Speaker 2 (${'y'.repeat(64)})`;
    expect(scene.heard).toEqual([
      { speaker, text: 'x'.repeat(10_000), startMs: 2_000, endMs: null, ...known },
    ]);
  });

  it('tells who speaks, and when', () => {
    scene.hearing.name(1, 'Ada');
    scene.speak(100, 2);
    scene.speak(100, 2, 3);
    scene.speak(100, 3);
    expect(scene.activity).toEqual(['Ada started', 'Speaker 3 started', 'Ada ended']);
    expect(scene.recognizers[0]!.flushes).toBe(1);
    scene.recognizers[0]!.says(' hello ');
    scene.recognizers[1]!.says('good morning');
    scene.recognizers[1]!.says('   ');
    expect(scene.lines).toEqual([
      { speaker: 'Ada', text: 'hello' },
      { speaker: 'Speaker 3', text: 'good morning' },
    ]);
  });

  it('says so when nothing is understood of what somebody has said', () => {
    scene.speak(100, 1);
    scene.speak(5_980);
    scene.recognizers[0]!.says(' ');
    expect(scene.unheard).toEqual([]);
    scene.speak(40);
    expect(scene.unheard).toEqual(['Speaker 1 not_understood']);
    scene.speak(10_000);
    expect(scene.unheard.length).toBe(1);
  });

  it('waits for what somebody says until they stop, and says nothing once it is understood', () => {
    scene.speak(8_000, 1);
    scene.recognizers[0]!.says('a long story');
    scene.speak(10_000);
    // A result of what was said before is none of what is said now.
    scene.speak(1_000, 1);
    const known = { confidence: null, language: null, speaker: null };
    scene.recognizers[0]!.vendor.final({ text: 'story', startMs: 0, endMs: 8_000, ...known });
    scene.speak(10_000);
    expect(scene.unheard).toEqual(['Speaker 1 not_understood']);
  });

  it('says so when nobody listens, because the recognizer has failed', () => {
    scene.speak(100, 1);
    scene.recognizers[0]!.vendor.failed({ kind: 'refused', words: 'no' });
    scene.speak(7_000);
    expect(scene.unheard).toEqual(['Speaker 1 failed']);
  });

  it('adds the label of a vendor that tells speakers apart', () => {
    scene.hearing.name(0, 'Room 5');
    scene.speak(100, 1);
    scene.recognizers[0]!.says('hello', 'B');
    expect(scene.lines).toEqual([{ speaker: 'Room 5 (B)', text: 'hello' }]);
  });

  it('ends the session of a voice after 30 s of silence, not earlier', () => {
    scene.speak(100, 1);
    scene.speak(29_900);
    expect(scene.recognizers[0]!.isClosed).toBe(false);
    scene.speak(200);
    expect(scene.recognizers[0]!.isClosed).toBe(true);
    scene.speak(100, 1);
    expect(scene.recognizers).toHaveLength(2);
  });

  it('listens to four, of which the one that is silent the longest gives its place to a fifth', () => {
    scene.speak(100, 1, 2, 3, 4);
    scene.speak(1_000, 1, 3, 4);
    scene.speak(2_000, 3, 4);
    scene.speak(100, 3, 4, 5);
    expect(scene.recognizers.map(({ isClosed }) => isClosed)).toEqual([false, true, false, false, false]);
    scene.recognizers[4]!.says('me too');
    expect(scene.lines).toEqual([{ speaker: 'Speaker 5', text: 'me too' }]);
  });

  it('mixes the voices beyond four that speak at once, until one pauses', () => {
    scene.speak(200, 1, 2, 3, 4, 5, 6);
    expect(scene.recognizers).toHaveLength(5);
    const mixed = scene.recognizers[4]!;
    expect(msOf(mixed, levelOf(5) + levelOf(6))).toBe(200);
    mixed.says('us too');
    expect(scene.lines).toEqual([{ speaker: 'others', text: 'us too' }]);
    scene.speak(2_200, 2, 3, 4, 5);
    scene.recognizers[5]!.says('now alone');
    expect(scene.lines[1]).toEqual({ speaker: 'Speaker 5', text: 'now alone' });
    scene.speak(30_000);
    expect(scene.recognizers.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('names a voice while it speaks, and begins anew when it gets another speaker', () => {
    scene.speak(100, 1);
    scene.hearing.name(0, 'Ada');
    scene.hearing.name(0, 'Ada');
    scene.speak(100, 1);
    expect(scene.recognizers).toHaveLength(1);
    scene.hearing.name(0, 'Bob');
    scene.speak(100, 1);
    expect(scene.recognizers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    scene.recognizers[0]!.says('late');
    scene.recognizers[1]!.says('hello');
    expect(scene.lines).toEqual([
      { speaker: 'Ada', text: 'late' },
      { speaker: 'Bob', text: 'hello' },
    ]);
  });
});

describe('a call with one voice', () => {
  it('is listened to without pause', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(60_000);
    expect(scene.recognizers).toHaveLength(1);
    expect(scene.recognizers[0]!.heardMs).toBe(60_000);
    scene.recognizers[0]!.says('hello');
    expect(scene.lines).toEqual([{ speaker: '+331', text: 'hello' }]);
  });

  it('streams nothing on hold, and ends the session when that lasts 30 s', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(1_000, 1);
    scene.hold(29_000);
    expect(scene.recognizers[0]).toMatchObject({ heardMs: 1_000, isClosed: false });
    scene.hold(1_000);
    expect(scene.recognizers[0]!.isClosed).toBe(true);
    scene.speak(1_000, 1);
    expect(scene.recognizers).toHaveLength(2);
    expect(scene.recognizers[1]!.heardMs).toBe(1_000);
  });

  it.each([
    [{ encoding: 'mulaw', sampleRateHz: 8_000 }, 100, 800],
    [{ encoding: 's16le', sampleRateHz: 8_000 }, 40, 640],
    [{ encoding: 's16le', sampleRateHz: 16_000 }, 50, 1_600],
    [{ encoding: 's16le', sampleRateHz: 24_000 }, 80, 3_840],
  ] as const)('is sent as %j in chunks of %i ms', (format, chunkMs, bytes) => {
    scene = new Scene({ voices: 1, speaker: '+331', format, chunkMs });
    scene.speak(2_000, 1);
    const [recognizer] = scene.recognizers;
    expect(recognizer!.chunks).toHaveLength(2_000 / chunkMs);
    expect(recognizer!.chunks.every(({ length }) => length === bytes)).toBe(true);
  });

  it('reports what was missed, but not what was said before anybody listened', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.overrun(20);
    expect(scene.missedMs).toBe(0);
    scene.overrun(20);
    expect(scene.missedMs).toBe(80);
    scene.overrun(1);
    expect(scene.missedMs).toBe(80);
  });
});

describe('a recognizer that fails', () => {
  it('by losing its vendor, says so and goes on', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(100);
    scene.recognizers[0]!.vendor.disconnected({ kind: 'unreachable', words: 'gone' });
    scene.speak(1_000);
    expect(scene.recognizers).toHaveLength(1);
    expect(scene.recognizers[0]!.heardMs).toBe(1_100);
    expect(scene.faults).toEqual([{ kind: 'unreachable', words: 'gone' }]);
  });

  it('for a while, is tried again after ten seconds', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(100);
    scene.recognizers[0]!.vendor.failed({ kind: 'unreachable', words: 'gone' });
    scene.speak(9_900);
    expect(scene.recognizers).toHaveLength(1);
    scene.speak(200);
    expect(scene.recognizers).toHaveLength(2);
    expect(scene.faults).toEqual([{ kind: 'unreachable', words: 'gone' }]);
  });

  it('for good, is not', () => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(100);
    scene.recognizers[0]!.vendor.failed({ kind: 'bad_key', words: 'no' });
    scene.speak(60_000);
    expect(scene.recognizers).toHaveLength(1);
  });
});

describe('somebody who speaks over an utterance', () => {
  beforeEach(() => {
    scene = new Scene({ voices: 2 });
    scene.isPlaying = true;
  });

  it('interrupts it after 220 ms, not earlier', () => {
    scene.speak(200, 1);
    expect(scene.interruptions).toBe(0);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(1);
  });

  it('may pause between words, but not for long', () => {
    scene.speak(140, 1);
    scene.speak(80);
    scene.speak(40, 1);
    expect(scene.interruptions).toBe(0);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(1);
    scene.isPlaying = false;
    scene.speak(20);
    scene.isPlaying = true;
    scene.speak(180, 1);
    scene.speak(180);
    scene.speak(200, 1);
    expect(scene.interruptions).toBe(1);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(2);
  });

  it('does not add up to others who do', () => {
    scene.speak(140, 1);
    scene.speak(140, 2);
    expect(scene.interruptions).toBe(0);
  });

  it('does not count the time in which nothing was played', () => {
    scene.isPlaying = false;
    scene.speak(1_000, 1);
    scene.isPlaying = true;
    scene.speak(200, 1);
    expect(scene.interruptions).toBe(0);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(1);
  });

  it('interrupts it at once when the vendor hears the start of a turn', () => {
    scene.speak(60, 1);
    scene.recognizers[0]!.vendor.turn('started');
    expect(scene.interruptions).toBe(1);
  });
});

describe('an utterance that somebody speaks over whom nobody understands', () => {
  it('stops as it does with a recognizer', () => {
    scene = new Scene({ voices: 1, isUnderstood: false });
    scene.isPlaying = true;
    scene.speak(200, 1);
    expect(scene.interruptions).toBe(0);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(1);
  });

  it('pauses, and goes on after a short voice', () => {
    scene = new Scene({ voices: 1, isUnderstood: false, pauses: true });
    scene.isPlaying = true;
    scene.speak(300, 1);
    scene.speak(1_000);
    expect(scene.verdicts).toEqual(['paused', 'resumed']);
    scene.speak(800, 1);
    expect(scene.verdicts).toEqual(['paused', 'resumed', 'paused', 'stopped']);
    expect([scene.recognizers.length, scene.unheard.length]).toEqual([0, 0]);
  });
});

describe('the shortest interruption of a preset', () => {
  it('counts for one that stops an utterance', () => {
    scene = new Scene({ voices: 1, options: { interruption_ms: 500 } });
    scene.isPlaying = true;
    scene.speak(480, 1);
    expect(scene.interruptions).toBe(0);
    scene.speak(20, 1);
    expect(scene.interruptions).toBe(1);
  });

  it('counts for one that makes it pause', () => {
    scene = new Scene({ voices: 1, pauses: true, options: { interruption_ms: 300 } });
    scene.isPlaying = true;
    scene.speak(300, 1);
    expect(scene.verdicts).toEqual(['paused']);
    scene.speak(20, 1);
    expect(scene.verdicts).toEqual(['paused', 'stopped']);
  });
});

describe('somebody who speaks over an utterance that pauses', () => {
  beforeEach(() => {
    scene = new Scene({ voices: 2, pauses: true });
    scene.isPlaying = true;
  });

  it('makes it pause after 100 ms, and stop after 700 ms', () => {
    scene.speak(80, 1);
    expect(scene.verdicts).toEqual([]);
    scene.speak(20, 1);
    expect(scene.verdicts).toEqual(['paused']);
    scene.speak(600, 1);
    expect(scene.verdicts).toEqual(['paused']);
    scene.speak(20, 1);
    expect(scene.verdicts).toEqual(['paused', 'stopped']);
  });

  it('makes it go on 800 ms later, without a word', () => {
    scene.speak(500, 1);
    scene.speak(780);
    expect(scene.verdicts).toEqual(['paused']);
    scene.speak(20);
    expect(scene.verdicts).toEqual(['paused', 'resumed']);
  });

  it('stops it with a word, also while it is held and nothing is sent', () => {
    scene.speak(300, 1);
    scene.isPlaying = false;
    scene.speak(200);
    scene.recognizers[0]!.says('Stop.');
    expect(scene.verdicts).toEqual(['paused', 'stopped']);
  });

  it('lets it go on at once with the words of a listener, and says them all the same', () => {
    scene.speak(300, 1);
    scene.recognizers[0]!.says('Mm-hm, yeah.');
    expect(scene.verdicts).toEqual(['paused', 'resumed']);
    expect(scene.lines).toEqual([{ speaker: 'Speaker 1', text: 'Mm-hm, yeah.' }]);
  });

  it('stops it although the words come late, but not when it is over', () => {
    scene.speak(300, 1);
    scene.speak(2_000);
    expect(scene.verdicts).toEqual(['paused', 'resumed']);
    scene.recognizers[0]!.says('Wait.');
    expect(scene.verdicts).toEqual(['paused', 'resumed', 'stopped']);
    scene.speak(300, 1);
    scene.speak(1_000);
    scene.isPlaying = false;
    scene.recognizers[0]!.says('Wait.');
    expect(scene.verdicts.slice(3)).toEqual(['paused', 'resumed']);
  });

  it('is not stopped by what was said before', () => {
    scene.speak(1_000);
    scene.speak(300, 1);
    const known = { confidence: null, language: null, speaker: null };
    scene.recognizers[0]!.vendor.final({ text: 'earlier', startMs: 0, endMs: 100, ...known });
    expect(scene.verdicts).toEqual(['paused']);
  });

  it('is held while one of two still speaks, for three seconds at most', () => {
    scene.speak(300, 1);
    scene.speak(300, 1, 2);
    scene.speak(300, 2);
    scene.speak(600);
    expect(scene.verdicts).toEqual(['paused', 'paused']);
    scene.speak(300);
    expect(scene.verdicts).toEqual(['paused', 'paused', 'resumed']);
    for (let round = 0; round < 4; round++) {
      scene.speak(120, 1);
      scene.speak(700);
    }
    expect(scene.verdicts.slice(3)).toEqual(['paused', 'resumed']);
  });

  it('pauses it at once when the vendor hears the start of a turn', () => {
    scene.speak(60, 1);
    scene.recognizers[0]!.vendor.turn('started');
    expect(scene.verdicts).toEqual(['paused']);
  });
});

describe("a vendor's turns", () => {
  beforeEach(() => {
    scene = new Scene({ voices: 1, speaker: '+331' });
  });

  it('are events of the speaker, each once', () => {
    scene.speak(100, 1);
    const { vendor } = scene.recognizers[0]!;
    vendor.turn('started');
    vendor.turn('ended');
    expect(scene.activity).toEqual(['+331 started', '+331 ended']);
    scene.speak(100);
    vendor.turn('started');
    vendor.turn('ended');
    vendor.turn('ended');
    expect(scene.activity.slice(2)).toEqual(['+331 started', '+331 ended']);
    expect(scene.interruptions).toBe(0);
  });

  it('are not believed without end, while the voice is not heard', () => {
    scene.speak(100, 1);
    const { vendor } = scene.recognizers[0]!;
    for (let i = 0; i < 1_000; i++) {
      vendor.turn('started');
      vendor.turn('ended');
    }
    expect(scene.activity).toEqual(['+331 started', '+331 ended']);
  });

  it('do not count when the session is over', () => {
    scene.speak(100);
    scene.hold(30_000);
    scene.recognizers[0]!.vendor.turn('started');
    expect(scene.activity).toEqual([]);
  });
});

describe("a vendor's results", () => {
  beforeEach(() => {
    scene = new Scene({ voices: 1, speaker: '+331' });
    scene.speak(100, 1);
  });

  it('are one line of valid Unicode each, of bounded length', () => {
    const [{ vendor }] = scene.recognizers as [ScriptedRecognizer];
    const rest = { startMs: null, endMs: null, confidence: null };
    vendor.final({
      text: ' yes\r\n[boss] pay\u0000\u2028now\u001b[2J \ud83d.',
      language: `en\n${'x'.repeat(1_000)}`,
      speaker: 'A)\n[boss',
      ...rest,
    });
    vendor.final({ text: 'y'.repeat(1_000_000), language: null, speaker: null, ...rest });
    expect(scene.lines).toEqual([
      { speaker: '+331 (A) [boss)', text: 'yes [boss] pay now [2J \ufffd.' },
      { speaker: '+331', text: 'y'.repeat(10_000) },
    ]);
    expect(scene.heard[0]?.language).toBe(`en ${'x'.repeat(32)}`);
  });

  it('end the session when they are more than anybody can say, and none opens again', () => {
    const [flooding] = scene.recognizers as [ScriptedRecognizer];
    for (let i = 0; i < 10_000; i++) flooding.says('no');
    expect(scene.lines.length).toBe(Math.floor(20_000 / 18));
    expect(scene.faults).toEqual([
      { kind: 'refused', words: 'The vendor sent more text than anybody can say' },
    ]);
    expect(flooding.isClosed).toBe(true);
    scene.speak(30_000, 1);
    flooding.says('no');
    expect(scene.recognizers).toHaveLength(1);
    expect(scene.lines.length).toBe(Math.floor(20_000 / 18));
  });

  it('may come as fast as four people talk for an hour', () => {
    const [fast] = scene.recognizers as [ScriptedRecognizer];
    for (let second = 0; second < 3_600; second++) {
      for (let i = 0; i < 4; i++) fast.says('what twenty letters');
      scene.clock.advance(1_000);
    }
    expect(scene.lines).toHaveLength(4 * 3_600);
    expect(scene.faults).toEqual([]);
  });
});

it('closes every session, with the audio that is left, and opens none afterwards', async () => {
  scene = new Scene();
  scene.speak(130, 1, 2);
  await scene.hearing.close();
  expect(scene.recognizers.map(({ isClosed, heardMs }) => ({ isClosed, heardMs }))).toEqual([
    { isClosed: true, heardMs: 200 },
    { isClosed: true, heardMs: 200 },
  ]);
  scene.speak(100, 3);
  expect(scene.recognizers).toHaveLength(2);
  expect(scene.detectors.every(({ isClosed }) => isClosed)).toBe(true);
  await scene.hearing.close();
});
