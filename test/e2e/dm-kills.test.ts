import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KilledTalk } from '../conformance/messenger/killed-talk.ts';
import { Talk } from '../conformance/messenger/talk.ts';
import { TelegramUnderTest } from '../conformance/messenger/telegram-under-test.ts';

/** For more kills: `KILLS=1000`. */
const KILLS = Number(process.env.KILLS ?? 4);
const MESSAGES_PER_SECOND = 200;

let telegram: TelegramUnderTest;

beforeEach(async () => {
  telegram = await TelegramUnderTest.start({ updates: 'polling', patienceMs: 30_000 });
});
afterEach(() => telegram?.stop());

it('loses and duplicates no message in either direction under kill -9', async () => {
  const talk = await KilledTalk.with(telegram, MESSAGES_PER_SECOND);
  await talk.kill(KILLS);
  await talk.check();
  console.log(talk.summary);
}, 3_600_000);

it('sends a message with an idempotency key at most once, even when killed in between', async () => {
  const { gateway } = telegram;
  const talk = await Talk.begun(telegram);
  const { conversation_id } = await talk.conversation();
  const send = () =>
    fetch(`${gateway.baseUrl}/api/dm/chat`, {
      method: 'POST',
      headers: { 'X-API-Key': gateway.agentKey, 'Idempotency-Key': 'k' },
      body: JSON.stringify({ platform: 'telegram', conversation_id, text: 'only once' }),
    });
  const first = send().catch(() => null);
  await wait(Math.random() * 20);
  await gateway.killHard();
  await first;
  await gateway.restart();
  const { status } = await send();
  const received = talk.read();
  // 502 when it is unknown whether the message arrived; otherwise it has arrived once.
  expect([200, 502]).toContain(status);
  expect(received.length).toBeLessThanOrEqual(1);
  if (status === 200) expect(received).toEqual(['only once']);
});
