import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { type MessengerRule, sendsFiles } from './messenger-under-test.ts';
import { Talk } from './talk.ts';

const FILE = { name: 'a.pdf', mime: 'application/pdf', bytes: randomBytes(2_000) };

export const CRASH_RULES: readonly MessengerRule[] = [
  {
    title: 'kill -9 loses and doubles nothing that people write',
    isSlow: true,
    async check(subject) {
      const { gateway } = subject;
      const talk = await Talk.with(subject);
      talk.person.writes('on its way');
      await gateway.killHard();
      talk.person.writes('while it is down');
      await gateway.restart();
      const acknowledged = talk.person.writes('acknowledged');
      await talk.becomes('the acknowledgement', () => acknowledged.isAcknowledged());
      await gateway.killHard();
      await gateway.restart();
      talk.person.repeats(acknowledged);
      await talk.hears('afterwards');
      await talk.waitForInbound(['on its way', 'while it is down', 'acknowledged', 'afterwards']);
    },
  },
  {
    title:
      'kill -9 at each step of sending: nothing is sent twice, and unknown is only what may have arrived',
    isSlow: true,
    async check(subject) {
      const { gateway, faults, connector } = subject;
      const { dropsDuplicatesForMs = 0 } = connector.provides.messenger!;
      const files = sendsFiles(subject);
      const [before, after, done] = [
        await Talk.begun(subject),
        await Talk.begun(subject),
        await Talk.begun(subject),
      ];
      const sent = faults.hold(false);
      void before.send('not carried out').catch(() => undefined);
      await sent;
      const carriedOut = faults.hold(true);
      void after.send('carried out').catch(() => undefined);
      await carriedOut;
      expect((await done.send('answered')).status).toBe(200);
      if (files) expect((await before.send('in the queue', [FILE])).status).toBe(202);

      await gateway.killHard();
      await gateway.restart();

      const inDoubt = dropsDuplicatesForMs > 0 ? 'delivered' : 'unknown';
      const ofQueue = files ? [['in the queue', 'delivered']] : [];
      await before.becomes('nothing to be on its way', async () =>
        (await before.outbound()).every(([, status]) => status !== 'sending'),
      );
      expect(await before.outbound()).toEqual([['not carried out', inDoubt], ...ofQueue]);
      expect(await after.outbound()).toEqual([['carried out', inDoubt]]);
      expect(await done.outbound()).toEqual([['answered', 'delivered']]);
      for (const talk of [before, after, done]) expect((await talk.send('later')).status).toBe(200);
      const resent = dropsDuplicatesForMs > 0 ? ['not carried out'] : [];
      expect(before.read()).toEqual([...resent, ...(files ? ['in the queue'] : []), 'later']);
      expect(after.read()).toEqual(['carried out', 'later']);
      expect(done.read()).toEqual(['answered', 'later']);
    },
  },
];
