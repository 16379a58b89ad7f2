import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { SpeechParty } from '../../../src/engine/speech-party.ts';
import { SpeechControl } from '../../../src/rings/speech-control.ts';
import { newSpeechRings } from '../../../src/rings/speech-rings.ts';
import { Speaking } from '../../../src/speech/speaking/speaking.ts';
import type { SpeechFault } from '../../../src/speech/speech-fault.ts';
import type { UtteranceReport } from '../../../src/speech/transport/speech-protocol.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedSynthesizer } from '../../support/speech/scripted-synthesizer.ts';

const ROOM_HZ = 8_000;
const FRAME_MS = 20;
const FADE_MS = 5;
const GONE: SpeechFault = { kind: 'unreachable', words: 'gone' };

/** The speech of a call without threads: the bridge thread looks after every tick of the engine. */
class Scene {
  readonly clock = new ManualClock();
  readonly reports: UtteranceReport[] = [];
  readonly faults: SpeechFault[] = [];
  readonly vendors: ScriptedSynthesizer[] = [];
  readonly rings = newSpeechRings();
  readonly control = new SpeechControl(this.rings.control);
  readonly speaking: Speaking;
  readonly #party: SpeechParty;
  readonly #frame = new Int16Array((ROOM_HZ * FRAME_MS) / 1000);

  constructor() {
    const platform = { isTapped: false, onHold: false, noteGoingOn() {} };
    this.#party = new SpeechParty(this.rings, { roomRateHz: ROOM_HZ, stats: new EngineStats(), platform });
    this.speaking = new Speaking(
      {
        rings: this.rings,
        connect: (observer) => {
          const vendor = new ScriptedSynthesizer(observer);
          this.vendors.push(vendor);
          return vendor;
        },
        split: (text) => text.split(/(?<=\.) /).filter((piece) => piece.trim() !== ''),
        clock: this.clock,
      },
      {
        utterance: (report) => this.reports.push(report),
        fault: (fault) => this.faults.push(fault),
        reconnected: () => {},
      },
    );
  }

  get vendor(): ScriptedSynthesizer {
    return this.vendors.at(-1)!;
  }

  say(utteranceId: string, text: string): void {
    this.speaking.say({ utteranceId, text, generation: this.control.asked });
  }

  /** Lets so many milliseconds pass. Returns how many of them were audible. */
  play(milliseconds: number): number {
    let audible = 0;
    for (let ms = 0; ms < milliseconds; ms += FRAME_MS) {
      if (this.#party.pull(this.#frame)) audible += this.#frame.filter((sample) => sample !== 0).length;
      this.#party.afterTick();
      this.clock.advance(FRAME_MS);
      this.speaking.look();
    }
    return (audible * 1000) / ROOM_HZ;
  }

  /** What became of the utterances, in order. */
  get states(): string[] {
    return this.reports.map(({ utteranceId, state }) => `${utteranceId} ${state}`);
  }
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

describe('speaking', () => {
  it('connects before anything is said, and reports when an utterance starts and ends', () => {
    expect(scene.vendors).toHaveLength(1);
    scene.say('a', 'Hello.');
    expect(scene.vendor.asked).toEqual([{ utteranceId: 'a', text: 'Hello.', isLast: true }]);
    scene.play(100);
    expect(scene.states).toEqual([]);
    scene.vendor.sends('a', 100);
    scene.play(20);
    expect(scene.states).toEqual(['a started']);
    scene.vendor.vendor.ended('a');
    expect(scene.play(200)).toBe(80);
    expect(scene.reports.at(-1)).toEqual({
      utteranceId: 'a',
      state: 'finished',
      playedMs: 100,
      spokenText: 'Hello.',
      isEstimate: false,
      audioMs: expect.any(Number),
    });
    expect(scene.states).toEqual(['a started', 'a finished']);
  });

  it('plays utterances in order without a gap, asking for the next while the first plays', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    expect(scene.vendor.askedTexts).toEqual(['One.']);
    scene.vendor.sends('a', 200);
    scene.vendor.vendor.ended('a');
    expect(scene.vendor.askedTexts).toEqual(['One.', 'Two.']);
    scene.play(100);
    scene.vendor.sends('b', 200);
    scene.vendor.vendor.ended('b');
    expect(scene.play(400)).toBe(300);
    expect(scene.states).toEqual(['a started', 'a finished', 'b started', 'b finished']);
    expect(scene.reports.map(({ playedMs }) => playedMs)).toEqual([0, 200, 0, 200]);
  });

  it('asks for a long text piece by piece, five seconds ahead at most', () => {
    const sentence = 'This sentence has exactly sixty characters, as many as it has.';
    scene.say('a', Array.from({ length: 10 }, () => sentence).join(' '));
    expect(scene.vendor.asked).toHaveLength(1);
    scene.vendor.sends('a', 4_000);
    expect(scene.vendor.asked).toHaveLength(2);
    scene.vendor.sends('a', 4_000);
    scene.play(2_900);
    expect(scene.vendor.asked).toHaveLength(2);
    scene.play(200);
    expect(scene.vendor.asked).toHaveLength(3);
    expect(scene.vendor.asked.map(({ isLast }) => isLast)).toEqual([false, false, false]);
  });

  it('decodes µ-law, and takes samples at odd addresses', () => {
    const bytes = new Uint8Array(2 * 160 + 1);
    bytes.fill(16, 1);
    scene.say('a', 'Odd.');
    scene.vendor.vendor.audio('a', bytes.subarray(1));
    expect(scene.play(40)).toBe(20);
  });

  it('has nothing to say for a text without words', () => {
    scene.say('a', '   ');
    expect(scene.vendor.asked).toEqual([]);
    expect(scene.states).toEqual(['a finished']);
  });
});

describe('a stop', () => {
  it('silences the call with the next tick, drops late audio, and tells the vendor', () => {
    scene.say('a', 'A long text.');
    scene.vendor.sends('a', 5_000);
    scene.play(1_000);
    scene.control.ask();
    expect(scene.play(20)).toBeLessThanOrEqual(FADE_MS);
    expect(scene.vendor.cancelled).toEqual(['a']);
    scene.vendor.sends('a', 500);
    scene.vendor.vendor.ended('a');
    expect(scene.play(500)).toBe(0);
    expect(scene.states).toEqual(['a started', 'a interrupted']);
    expect(scene.reports[1]?.playedMs).toBeCloseTo(1_000 + FADE_MS, 0);
  });

  it('drops all utterances that wait, and not the next one', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.sends('a', 200);
    scene.vendor.vendor.ended('a');
    scene.vendor.sends('b', 200);
    scene.play(100);
    scene.control.ask();
    scene.say('c', 'Three.');
    expect(scene.vendor.cancelled).toEqual(['b']);
    expect(scene.vendor.asked.at(-1)?.utteranceId).toBe('c');
    scene.vendor.sends('c', 100);
    scene.vendor.vendor.ended('c');
    expect(scene.play(20)).toBeLessThanOrEqual(FADE_MS);
    expect(scene.play(300)).toBe(100);
    expect(scene.states).toEqual(['a started', 'a interrupted', 'b interrupted', 'c started', 'c finished']);
    const played = scene.reports.map(({ playedMs }) => playedMs);
    expect(played).toEqual([0, 105, 0, 0, 100]);
  });

  it('counts what was heard of the second utterance by itself', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.sends('a', 200);
    scene.vendor.vendor.ended('a');
    scene.vendor.sends('b', 1_000);
    scene.play(500);
    scene.control.ask();
    scene.play(40);
    expect(scene.reports.at(-1)).toMatchObject({ utteranceId: 'b', state: 'interrupted', playedMs: 305 });
  });

  it('does not hear what was said before it and arrives after it', () => {
    const said = { utteranceId: 'a', text: 'One.', generation: scene.control.asked };
    scene.control.ask();
    scene.speaking.say(said);
    expect(scene.vendor.asked).toEqual([]);
    scene.play(20);
    expect(scene.states).toEqual(['a interrupted']);
  });

  it('is one of two in a row', () => {
    scene.say('a', 'One.');
    scene.vendor.sends('a', 500);
    scene.play(100);
    scene.control.ask();
    scene.say('b', 'Two.');
    scene.vendor.sends('b', 500);
    scene.control.ask();
    scene.say('c', 'Three.');
    scene.vendor.sends('c', 60);
    scene.vendor.vendor.ended('c');
    expect(scene.play(300)).toBeLessThanOrEqual(60 + FADE_MS);
    expect(scene.states).toEqual(['a started', 'a interrupted', 'b interrupted', 'c started', 'c finished']);
    expect(scene.reports.map(({ playedMs }) => playedMs)).toEqual([0, 105, 0, 0, 60]);
  });

  it('reports what the vendor aligned, exactly', () => {
    scene.say('a', 'One two three.');
    scene.vendor.sends('a', 900);
    scene.vendor.vendor.aligned('a', [
      { text: 'One ', startMs: 0 },
      { text: 'two ', startMs: 300 },
      { text: 'three.', startMs: 600 },
    ]);
    scene.play(400);
    scene.control.ask();
    scene.play(40);
    expect(scene.reports.at(-1)).toMatchObject({ spokenText: 'One two', isEstimate: false });
  });

  it('estimates what was heard from the time, in whole words', () => {
    scene.say('a', 'One two three four.');
    scene.vendor.sends('a', 1_000);
    scene.vendor.vendor.ended('a');
    scene.play(500);
    scene.control.ask();
    scene.play(40);
    expect(scene.reports.at(-1)).toMatchObject({ spokenText: 'One two', isEstimate: true });
  });

  it('is reported even when no engine answers', () => {
    scene.say('a', 'One.');
    scene.vendor.sends('a', 500);
    scene.play(100);
    scene.control.ask();
    scene.speaking.look();
    scene.clock.advance(1_000);
    scene.speaking.look();
    expect(scene.reports.at(-1)).toMatchObject({ state: 'interrupted', playedMs: 100 });
  });
});

describe('an interruption', () => {
  it('needs an utterance that is played: not one that is computed, paused or over', () => {
    scene.say('a', 'One. Two.');
    scene.play(40);
    expect(scene.speaking.isPlaying).toBe(false);
    scene.vendor.sends('a', 100);
    scene.play(40);
    expect(scene.speaking.isPlaying).toBe(true);
    scene.play(300);
    expect(scene.speaking.isPlaying).toBe(false);
    scene.vendor.sends('a', 100);
    scene.vendor.vendor.ended('a');
    scene.play(40);
    expect(scene.speaking.isPlaying).toBe(true);
    scene.play(80);
    expect(scene.states).toEqual(['a started', 'a finished']);
    expect(scene.speaking.isPlaying).toBe(false);
  });

  it('drops what was said before it, also what arrives later, and speaks what is said afterwards', () => {
    const before = scene.control.asked;
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.sends('a', 500);
    scene.play(100);
    scene.speaking.interrupt();
    expect(scene.speaking.isPlaying).toBe(false);
    expect(scene.vendor.cancelled).toEqual(['a']);
    scene.speaking.say({ utteranceId: 'sent', text: 'Three.', generation: before });
    scene.say('c', 'Four.');
    scene.vendor.sends('a', 500);
    scene.vendor.sends('c', 60);
    scene.vendor.vendor.ended('c');
    expect(scene.play(300)).toBeLessThanOrEqual(60 + FADE_MS);
    expect(scene.states).toEqual([
      'a started',
      'a interrupted',
      'b interrupted',
      'sent interrupted',
      'c started',
      'c finished',
    ]);
  });

  it('counts once when the main thread stops at the same time', () => {
    scene.say('a', 'One.');
    scene.vendor.sends('a', 500);
    scene.play(100);
    scene.control.ask();
    scene.speaking.interrupt();
    scene.speaking.interrupt();
    scene.play(40);
    expect(scene.states).toEqual(['a started', 'a interrupted']);
  });

  it('drops 32 utterances', () => {
    const ids = Array.from({ length: 32 }, (_, i) => `u${i}`);
    for (const id of ids) scene.say(id, 'One.');
    scene.vendor.sends('u0', 500);
    scene.play(100);
    scene.speaking.interrupt();
    scene.play(40);
    expect(scene.states).toEqual(['u0 started', ...ids.map((id) => `${id} interrupted`)]);
  });
});

it('each utterance is over once, and its time is what was heard, whatever happens when', () => {
  const step = fc.constantFrom('say', 'audio', 'end', 'late audio', 'play', 'play', 'stop', 'interruption');
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), (steps) => {
      scene = new Scene();
      const ids: string[] = [];
      let heardMs = 0;
      const finals = () => scene.reports.filter(({ state }) => state !== 'started');
      const asked = () => scene.vendor.asked.map(({ utteranceId }) => utteranceId);
      const actions = {
        say: () => scene.say(ids[ids.push(`u${ids.length}`) - 1]!, 'One.'),
        audio: () => asked().length > 0 && scene.vendor.sends(asked().at(-1)!, 90),
        end: () => asked().length > 0 && scene.vendor.vendor.ended(asked().at(-1)!),
        'late audio': () => asked().length > 0 && scene.vendor.sends(asked()[0]!, 90),
        play: () => (heardMs += scene.play(60)),
        stop: () => scene.control.ask(),
        interruption: () => scene.speaking.interrupt(),
      };
      for (const each of steps) actions[each]();
      for (let i = 0; i <= ids.length; i++) {
        actions.play();
        actions.audio();
        actions.end();
        while (scene.speaking.isPlaying) actions.play();
      }
      expect(finals().map(({ utteranceId }) => utteranceId)).toEqual(ids);
      const playedMs = finals().reduce((sum, report) => sum + report.playedMs, 0);
      // The fade-out of a stop ends in a sample of silence, and times are rounded.
      expect(Math.abs(playedMs - heardMs)).toBeLessThanOrEqual(ids.length);
    }),
  );
});

describe('a vendor that fails', () => {
  it('in an utterance: what has arrived is played, and the next one is spoken', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.sends('a', 100);
    scene.vendor.vendor.failed('a', GONE);
    scene.vendor.sends('b', 100);
    scene.vendor.vendor.ended('b');
    expect(scene.play(300)).toBe(200);
    expect(scene.faults).toEqual([GONE]);
    expect(scene.states).toEqual(['a started', 'a failed', 'b started', 'b finished']);
    expect(scene.reports[1]).toMatchObject({ playedMs: 100 });
  });

  it('in an utterance that it ends with the connection tells of it once, and the next time again', () => {
    scene.say('a', 'One.');
    scene.vendor.sends('a', 100);
    scene.vendor.vendor.failed('a', GONE);
    scene.vendor.vendor.disconnected(GONE);
    expect(scene.faults).toEqual([GONE]);
    scene.vendor.vendor.reconnected();
    scene.vendor.vendor.disconnected({ ...GONE });
    expect(scene.faults).toEqual([GONE, GONE]);
  });

  it('for good: all utterances fail, and the next one tries again', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.vendor.failed(null, { kind: 'bad_key', words: 'no' });
    expect(scene.states).toEqual(['a failed', 'b failed']);
    scene.say('c', 'Three.');
    expect(scene.vendors).toHaveLength(2);
    expect(scene.vendor.askedTexts).toEqual(['Three.']);
  });

  it('for a while: what it was not asked for is spoken by the next session', () => {
    scene.say('a', 'One.');
    scene.say('b', 'Two.');
    scene.vendor.vendor.failed(null, GONE);
    expect(scene.states).toEqual(['a failed']);
    expect(scene.vendors).toHaveLength(2);
    expect(scene.vendor.askedTexts).toEqual(['Two.']);
  });

  it('by silence: the utterance fails after ten seconds, not earlier', () => {
    scene.say('a', 'One.');
    scene.play(9_980);
    expect(scene.states).toEqual([]);
    scene.play(60);
    expect(scene.states).toEqual(['a failed']);
    expect(scene.vendor.cancelled).toEqual(['a']);
    expect(scene.faults).toEqual([{ kind: 'unreachable', words: 'The vendor sent no audio for 10 s' }]);
  });

  it('by sending no audio at all', () => {
    scene.say('a', 'One.');
    scene.vendor.vendor.ended('a');
    expect(scene.states).toEqual(['a failed']);
    expect(scene.faults).toHaveLength(1);
  });

  it('by claiming that it has spoken megabytes of text', () => {
    scene.say('a', 'One.');
    scene.vendor.sends('a', 500);
    const parts = Array.from({ length: 10 }, () => ({ text: 'x'.repeat(1_000_000), startMs: 0 }));
    scene.vendor.vendor.aligned('a', [{ text: 'One', startMs: 0 }, ...parts]);
    scene.play(100);
    scene.speaking.interrupt();
    scene.play(40);
    expect(scene.reports.at(-1)).toMatchObject({ state: 'interrupted', spokenText: 'One' });
  });

  it('by sending more than two minutes ahead', () => {
    scene.say('a', 'One.');
    for (let minute = 0; minute < 3; minute++) scene.vendor.sends('a', 60_000);
    expect(scene.vendor.cancelled).toEqual(['a']);
    expect(scene.faults).toMatchObject([{ kind: 'refused' }]);
  });
});

it('closes the session at the vendor, and hears nothing more of it', async () => {
  scene.say('a', 'One.');
  await scene.speaking.close();
  scene.vendor.sends('a', 100);
  expect(scene.play(100)).toBe(0);
  expect(scene.vendor.isClosed).toBe(true);
});
