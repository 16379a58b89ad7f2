import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { readGatewayRows } from '../../support/gateway-database.ts';
import type { MessengerRule, MessengerUnderTest } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const MANY = 15;

export const SENDING_RULES: readonly MessengerRule[] = [
  {
    title: 'what an agent sends reaches the person, and is known by the platform’s id',
    async check(subject) {
      const talk = await Talk.begun(subject);
      const { status, body } = await talk.send('good evening');
      expect([status, body.status, body.delivery]).toEqual([200, 'delivered', 'sync']);
      const [got, ...others] = talk.person.received();
      expect([got?.text, others]).toEqual(['good evening', []]);
      expect(platformIdsOf(subject, body.message_id)).toEqual([got!.platformMessageId]);
      expect(await talk.outbound()).toEqual([['good evening', 'delivered']]);
    },
  },
  {
    title: 'what agents send keeps its order',
    async check(subject) {
      const talk = await Talk.begun(subject);
      await Promise.all(Array.from({ length: MANY }, (_, n) => talk.send(`line ${n}`)));
      const stored = (await talk.outbound()).map(([text]) => text);
      expect(stored).toHaveLength(MANY);
      expect(talk.read()).toEqual(stored);
    },
  },
  {
    title: 'the longest text arrives whole, and a longer one is refused before anything is sent',
    applies: ({ textLimit }) => textLimit !== null,
    async check(subject) {
      const talk = await Talk.begun(subject);
      const limit = subject.textLimit!;
      const ofLength = (length: number) => `${(subject.textOf ?? 'a').repeat(length - 1)}z`;
      const fitting = [ofLength(limit - 1), ofLength(limit)];
      for (const text of fitting) expect((await talk.send(text)).status).toBe(200);
      const { status, body } = await talk.send(ofLength(limit + 1));
      expect([status, body.detail]).toEqual([502, expect.stringMatching(/^Failed to send message: .+/)]);
      expect(talk.read()).toEqual(fitting);
    },
  },
  {
    title: 'a refusal is reported in the platform’s words',
    async check(subject) {
      const talk = await Talk.begun(subject);
      const words = subject.faults.refuse();
      const { status, body } = await talk.send('unwanted');
      expect([status, body.detail]).toEqual([502, `Failed to send message: ${words}`]);
      expect((await talk.send('welcome')).status).toBe(200);
      expect(talk.read()).toEqual(['welcome']);
      expect(await talk.outbound()).toEqual([
        ['unwanted', 'failed'],
        ['welcome', 'delivered'],
      ]);
    },
  },
  {
    title: 'a throttled message is sent again after the platform’s pause, and arrives once',
    async check(subject) {
      const talk = await Talk.begun(subject);
      const pauseMs = subject.faults.throttle();
      const startMs = performance.now();
      const { status } = await talk.send('patience');
      expect(status).toBe(200);
      expect(performance.now() - startMs).toBeGreaterThan(pauseMs * 0.95);
      expect((await talk.send('the next one')).status).toBe(200);
      expect(talk.read()).toEqual(['patience', 'the next one']);
    },
  },
  {
    title: 'a message whose answer is lost is unknown, and is not sent again',
    applies: ({ connector }) => !connector.provides.messenger?.dropsDuplicatesForMs,
    async check(subject) {
      const talk = await Talk.begun(subject);
      subject.faults.loseAnswer();
      expect((await talk.send('perhaps')).status).toBe(502);
      expect(await talk.outbound()).toEqual([['perhaps', 'unknown']]);
      expect((await talk.send('surely')).status).toBe(200);
      expect(talk.read()).toEqual(['perhaps', 'surely']);
    },
  },
  {
    title: 'a person who cannot be reached is not written to until they write again',
    applies: ({ canBlock }) => canBlock,
    async check(subject) {
      const talk = await Talk.begun(subject);
      talk.person.blocks!();
      // The platform may have told the gateway by now, or tells it in its answer.
      expect([404, 502]).toContain((await talk.send('hello?')).status);
      await talk.becomes('it to be closed', async () => (await talk.conversation()).status === 'closed');
      const { status, body } = await talk.send('still there?');
      expect([status, body.detail]).toEqual([404, 'No active conversation']);
      expect(talk.read()).toEqual([]);
      talk.person.unblocks!();
      await talk.hears('I am back');
      expect((await talk.conversation()).status).toBe('active');
      expect((await talk.send('welcome back')).status).toBe(200);
      expect(talk.read()).toEqual(['welcome back']);
    },
  },
  {
    title: 'a dead login shows the platform’s words, and recovers',
    async check(subject) {
      const talk = await Talk.begun(subject);
      const words = subject.login.kill();
      const { status, body } = await talk.send('into the void');
      expect([status, body.detail]).toEqual([502, `Failed to send message: ${words}`]);
      await talk.becomes(`status ${words}`, async () => (await statusOf(subject)) === words);
      subject.login.revive();
      if (subject.login.recheckMs > subject.patienceMs / 2) await subject.gateway.restart();
      await talk.becomes('status ok', async () => (await statusOf(subject)) === 'ok');
      await talk.hears('can you hear me?');
      expect((await talk.send('loud and clear')).status).toBe(200);
      expect(talk.read()).toEqual(['loud and clear']);
    },
  },
];

/** The status of the account's only login at the platform. */
async function statusOf({ gateway, connector: { platform } }: MessengerUnderTest): Promise<string> {
  const { platforms } = (await gateway.settingsApi.get('/api/platforms')).body;
  return platforms.find((each: AnyJson) => each.platform === platform).status;
}

function platformIdsOf({ gateway }: MessengerUnderTest, messageId: string): string[] {
  return readGatewayRows<{ id: string }>(
    gateway.dataFolder,
    `select platform_message_id as id from platform_messages
     join messages on messages.seq = platform_messages.message_seq where messages.id = ?`,
    messageId,
  ).map(({ id }) => id);
}
