import { expect, it } from 'vitest';
import { TurnMeter } from '../../../src/engine/turn-meter.ts';
import type { MeasuredTurn } from '../../../src/threads/protocol.ts';

const FRAME_MS = 20;
const SILENCE = new Int16Array(160);
const VOICE = Int16Array.from({ length: 160 }, (_, i) => (i % 8 < 4 ? 8_000 : -8_000));

/** Both ends of a call: what is heard and sent in each 20 ms, `v` for a voice, `g` where what was held goes on. */
function turns(heard: string, sent: string): number[] {
  const all: MeasuredTurn[] = [];
  const meter = new TurnMeter((turn) => all.push(turn));
  for (let i = 0; i < heard.length; i++) {
    const nowMs = i * FRAME_MS;
    meter.heard(heard[i] === 'v' ? VOICE : SILENCE, nowMs);
    if (sent[i] === 'g') meter.goOn(nowMs);
    meter.sent(sent[i] === 'v' || sent[i] === 'g' ? VOICE : SILENCE, nowMs);
  }
  return all.map(({ endMs, soundMs }) => Math.round((soundMs - endMs) / FRAME_MS));
}

const quiet = (frames: number) => ' '.repeat(frames);
const voice = (frames: number) => 'v'.repeat(frames);

it('measures how long somebody waits for an answer', () => {
  expect(turns(quiet(10) + voice(30) + quiet(60), quiet(70) + voice(30))).toEqual([30]);
});

it('who says something while they are spoken to waits for nothing', () => {
  const listener = quiet(40) + voice(10) + quiet(150);
  expect(turns(listener, voice(120) + quiet(50) + voice(30))).toEqual([]);
});

it('what goes on after a pause is no answer', () => {
  const listener = quiet(40) + voice(10) + quiet(150);
  expect(turns(listener, `${voice(45)}${quiet(50)}g${voice(104)}`)).toEqual([]);
  expect(turns(listener, `${voice(45)}${quiet(50)}${voice(105)}`)).toEqual([45]);
});
