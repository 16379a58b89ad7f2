import { expect, it } from 'vitest';
import { InboundChatQueue } from '../../../src/calls/inbound-chat.ts';
import { waitFor } from '../../support/wait-for.ts';
import { chatOf } from './fake-meetings.ts';

it('of a flood of short messages at most 1,048 wait, and those are published once, in order', async () => {
  const published: string[] = [];
  let dropped = 0;
  const chat = new InboundChatQueue(
    {
      keepFiles: async () => ({ files: [], tooLarge: 0 }),
      stored: () => Promise.resolve(),
      onDropped: () => {
        dropped += 1;
      },
      onFailure: (error) => expect.unreachable(`${error}`),
    },
    ({ text }) => void published.push(text),
  );
  const flood = Array.from({ length: 5_000 }, (_, place) => chatOf({ text: `${place}` }));
  for (const message of [...flood, ...flood.slice(0, 100)]) chat.add(message);
  // One is being stored while the others wait.
  expect(dropped).toBe(5_000 - 1_049);
  await waitFor('what was taken', () => published.length === 1_049);
  chat.add(flood.at(-1)!);
  await waitFor('the last one', () => published.length === 1_050);
  expect(published).toEqual([...flood.slice(0, 1_049), flood.at(-1)!].map(({ text }) => text));
});
