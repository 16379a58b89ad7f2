import { expect } from 'vitest';
import type { Delivery, MessengerRule, WebhookUnderTest } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const LARGE_BYTES = 65_536;

export const WEBHOOK_RULES: readonly MessengerRule[] = [
  {
    title: 'a webhook is taken from the platform only',
    applies: ({ webhook }) => webhook !== undefined,
    async check(subject) {
      const webhook = subject.webhook!;
      const talk = await Talk.with(subject);
      await talk.hears('first');
      const delivery = webhook.delivery(talk.person, 'forged');
      expect(await post(webhook, webhook.forged(delivery))).toBe(401);
      expect(await post(webhook, { ...delivery, headers: {} })).toBe(401);
      const nobody = { ...webhook, url: `${webhook.url.slice(0, webhook.url.lastIndexOf('/'))}/nobody` };
      expect(await post(nobody, delivery)).toBe(404);
      await talk.hears('real');
      await talk.waitForInbound(['first', 'real']);
    },
  },
  {
    title: 'a webhook that is replayed stores nothing new',
    applies: ({ webhook }) => webhook !== undefined,
    async check(subject) {
      const webhook = subject.webhook!;
      const talk = await Talk.with(subject);
      const delivery = webhook.delivery(talk.person, 'only once');
      for (let count = 0; count < 3; count++) expect(await post(webhook, delivery)).toBe(200);
      const together = await Promise.all(Array.from({ length: 5 }, () => post(webhook, delivery)));
      expect(new Set(together)).toEqual(new Set([200]));
      await talk.hears('and another');
      await talk.waitForInbound(['only once', 'and another']);
    },
  },
  {
    title: 'a webhook survives 64 KB, deep nesting and other methods',
    applies: ({ webhook }) => webhook !== undefined,
    async check(subject) {
      const webhook = subject.webhook!;
      const talk = await Talk.with(subject);
      const hostile = [
        'x'.repeat(LARGE_BYTES),
        '['.repeat(LARGE_BYTES),
        `{"a":"${'\\u0000'.repeat(10_000)}"}`,
      ];
      for (const body of hostile) {
        expect(await post(webhook, webhook.signed(body))).toBe(400);
        expect(await post(webhook, webhook.forged(webhook.signed(body)))).toBe(401);
      }
      for (const method of ['PUT', 'DELETE', 'PATCH'])
        expect((await fetch(webhook.url, { method, body: '{}' })).status).toBe(405);
      await talk.hears('still here');
      await talk.waitForInbound(['still here']);
    },
  },
];

async function post({ url }: WebhookUnderTest, { headers, body }: Delivery): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}
