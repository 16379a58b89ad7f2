import { expect, test } from 'vitest';
import { Transcript } from '../../../src/calls/transcript.ts';

const lineOf = (serial: number) => ({ speaker: 'Ada', text: `${serial} ${'x'.repeat(1_000)}` });

test('a transcript returns its lines from any count on', () => {
  const transcript = new Transcript();
  expect(transcript.since(0)).toEqual({ lines: [], length: 0 });
  for (const text of ['a', 'b', 'c']) transcript.add({ speaker: 'Ada', text });
  const textsSince = (count: number) => transcript.since(count).lines.map(({ text }) => text);
  expect(textsSince(0)).toEqual(['a', 'b', 'c']);
  expect(textsSince(2)).toEqual(['c']);
  expect(textsSince(3)).toEqual([]);
  expect(textsSince(9)).toEqual([]);
  expect(transcript.since(9).length).toBe(3);
});

test('a very long transcript drops its oldest lines and keeps counting', () => {
  const transcript = new Transcript();
  for (let i = 0; i < 2_000; i++) transcript.add(lineOf(i));
  const { lines, length } = transcript.since(0);
  expect(length).toBe(2_000);
  expect(lines.length).toBeGreaterThan(150);
  expect(lines.length).toBeLessThan(270);
  expect(lines.at(-1)).toEqual(lineOf(1_999));
  expect(transcript.since(1_998).lines).toEqual([lineOf(1_998), lineOf(1_999)]);
});

test('a single line that is too long is kept until the next one', () => {
  const transcript = new Transcript();
  transcript.add({ speaker: 'Ada', text: 'x'.repeat(300_000) });
  expect(transcript.since(0).lines).toHaveLength(1);
  transcript.add(lineOf(1));
  expect(transcript.since(0)).toEqual({ lines: [lineOf(1)], length: 2 });
});
