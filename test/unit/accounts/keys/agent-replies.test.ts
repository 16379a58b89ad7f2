import { expect, test } from 'vitest';
import { AgentReplies } from '../../../../src/accounts/keys/agent-replies.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('a reply counts for its own credential and probe, at the time of the first one', () => {
  const clock = new ManualClock();
  const replies = new AgentReplies(clock);
  const first = clock.nowIso();
  replies.replied('key_1', 'prb_1');
  clock.advance(1);
  replies.replied('key_1', 'prb_1');
  expect(replies.repliedAt('key_1', 'prb_1')).toBe(first);
  expect(replies.repliedAt('key_1', 'prb_2')).toBeNull();
  expect(replies.repliedAt('key_2', 'prb_1')).toBeNull();
});

test('the oldest replies are forgotten first', () => {
  const replies = new AgentReplies(new ManualClock());
  replies.replied('key_0', 'prb_0');
  replies.replied('key_1', 'prb_0');
  replies.replied('key_0', 'prb_1');
  for (let n = 2; n <= 10_000; n++) replies.replied(`key_${n}`, 'prb_1');
  expect(replies.repliedAt('key_1', 'prb_0')).toBeNull();
  expect(replies.repliedAt('key_0', 'prb_1')).not.toBeNull();
});
