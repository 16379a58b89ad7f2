import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { Places } from '../../../src/base/places.ts';
import { DeliveryWaits } from '../../../src/inline/deliveries/delivery-waits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const HOLDER = { accountId: 'acc_1', credentialId: 'key_1' };

/** A delivery that one request waits for, 30 s. */
function world() {
  const clock = new ManualClock();
  const places = new Places({ code: 'too_many_waiters', what: 'waits', perKey: 1, perAccount: 1, total: 1 });
  const waits = new DeliveryWaits(places, clock);
  const client = new AbortController();
  let status = 'queued';
  let reads = 0;
  const read = async () => {
    reads += 1;
    return status;
  };
  const wait = { waitMs: 30_000, signal: client.signal };
  const start = () => waits.until('acc_1', read, (seen) => seen === 'delivered', wait);
  const becomes = (next: string) => {
    status = next;
  };
  return { clock, waits, client, start, becomes, reads: () => reads };
}

test('ends with the turn that ends the delivery, and reads after no others', async () => {
  const { waits, start, becomes, reads } = world();
  const seen = start();
  waits.turnEnded('acc_2');
  await nextTurn();
  expect(reads()).toBe(1);
  waits.turnEnded('acc_1');
  await nextTurn();
  expect(reads()).toBe(2);
  becomes('delivered');
  waits.turnEnded('acc_1');
  expect([await seen, reads()]).toEqual(['delivered', 3]);
});

test.each(['the time is up', 'the client has gone', 'the gateway closes'])(
  'ends with what is known when %s',
  async (why) => {
    const { clock, waits, client, start, becomes } = world();
    const seen = start();
    becomes('sent');
    await nextTurn();
    if (why === 'the time is up') clock.advance(30_000);
    else if (why === 'the client has gone') client.abort();
    else waits.close();
    expect([await seen, clock.restMs]).toEqual(['sent', Number.POSITIVE_INFINITY]);
  },
);

test('takes a place, gives it back, and takes none once closed', () => {
  const { waits } = world();
  const leave = waits.enter(HOLDER);
  expect(() => waits.enter(HOLDER)).toThrow('At most 1 waits per key');
  leave();
  waits.enter(HOLDER)();
  waits.close();
  expect(() => waits.enter(HOLDER)).toThrow('The gateway is not ready');
});
