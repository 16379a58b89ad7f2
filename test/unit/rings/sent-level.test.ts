import { expect, it } from 'vitest';
import { SENT_LEVEL_BYTES, SentLevel } from '../../../src/rings/sent-level.ts';

it('the level of what was sent is that of the loudest frame since it was taken', () => {
  const memory = new SharedArrayBuffer(SENT_LEVEL_BYTES);
  const [engine, bridge] = [new SentLevel(memory), new SentLevel(memory)];
  expect(bridge.take()).toBe(0);
  engine.note(new Int16Array(160).fill(8_192));
  engine.note(new Int16Array(160).fill(16_384));
  engine.note(new Int16Array(160).fill(4_096));
  expect(bridge.take()).toBe(0.25);
  expect(bridge.take()).toBe(0);
  engine.note(new Int16Array(160).fill(-32_768));
  expect(bridge.take()).toBe(1);
});
