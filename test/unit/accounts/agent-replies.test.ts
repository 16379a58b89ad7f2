import { expect, test } from 'vitest';
import { AgentReplies } from '../../../src/accounts/agent-replies.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a credential has replied when it has written since', () => {
  const clock = new ManualClock();
  const replies = new AgentReplies(clock);
  const before = clock.nowIso();
  replies.written('key_1');
  clock.advance(1);
  expect(replies.hasReplied('key_1', before)).toBe(true);
  expect(replies.hasReplied('key_1', clock.nowIso())).toBe(false);
  expect(replies.hasReplied('key_2', before)).toBe(false);
});

test('those who wrote longest ago are forgotten first', () => {
  const clock = new ManualClock();
  const replies = new AgentReplies(clock);
  const start = clock.nowIso();
  replies.written('key_0');
  replies.written('key_1');
  replies.written('key_0');
  for (let n = 2; n <= 10_000; n++) replies.written(`key_${n}`);
  expect(replies.hasReplied('key_1', start)).toBe(false);
  expect(replies.hasReplied('key_0', start)).toBe(true);
});
