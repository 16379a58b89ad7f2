import { describe, expect, it } from 'vitest';
import { silentObserver } from '../../../../../src/connectors/sip/signaling/sip-observer.ts';
import { ClientTransactions } from '../../../../../src/connectors/sip/signaling/transactions/client-transactions.ts';
import { ServerTransactions } from '../../../../../src/connectors/sip/signaling/transactions/server-transactions.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const UDP = { protocol: 'udp', host: '127.0.0.1', port: 5060, serverName: 'h' } as const;
const TCP = { ...UDP, protocol: 'tcp' } as const;

describe('client transactions', () => {
  function send(method: string, destination: typeof UDP | typeof TCP = UDP) {
    const clock = new ManualClock();
    const table = new ClientTransactions<string>(clock, silentObserver);
    const sentAtMs: number[] = [];
    table.sent('b', {
      method,
      owner: 'owner',
      destination,
      resend: () => sentAtMs.push(clock.monotonicMs()),
    });
    return { clock, table, sentAtMs };
  }

  it('repeats INVITE doubling from T1 until 64*T1 (timers A and B)', () => {
    const { clock, table, sentAtMs } = send('INVITE');
    clock.advance(60_000);
    expect(sentAtMs).toEqual([500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    expect(table.size).toBe(0);
  });

  it('repeats other requests up to every T2 (timers E and F)', () => {
    const { clock, sentAtMs } = send('REGISTER');
    clock.advance(60_000);
    expect(sentAtMs).toEqual([500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  });

  it('stops repeating INVITE at any 1xx, and slows others down to T2', () => {
    const invite = send('INVITE');
    invite.clock.advance(600);
    expect(invite.table.answered('b', 'INVITE', 100)).toBe('owner');
    invite.clock.advance(60_000);
    expect(invite.sentAtMs).toEqual([500]);
    expect(invite.table.size).toBe(1);
    const options = send('OPTIONS');
    options.clock.advance(600);
    options.table.answered('b', 'OPTIONS', 100);
    options.clock.advance(10_000);
    expect(options.sentAtMs).toEqual([500, 1_500, 5_500, 9_500]);
  });

  it('repeats nothing over TCP', () => {
    const { clock, sentAtMs } = send('INVITE', TCP);
    clock.advance(60_000);
    expect(sentAtMs).toEqual([]);
  });

  it('passes each 2xx on, and answers repeated refusals with the ACK', () => {
    const { table } = send('INVITE');
    expect([table.answered('b', 'INVITE', 200), table.answered('b', 'INVITE', 200)]).toEqual([
      'owner',
      'owner',
    ]);
    const refused = send('INVITE').table;
    let acks = 0;
    expect(refused.answered('b', 'INVITE', 486)).toBe('owner');
    refused.acknowledged('b', () => {
      acks += 1;
    });
    expect(refused.answered('b', 'INVITE', 486)).toBe('absorbed');
    expect(acks).toBe(1);
    expect(refused.destinationOf('b')).toBe(UDP);
  });

  it('ignores responses to other requests', () => {
    const { table } = send('INVITE');
    expect(table.answered('x', 'INVITE', 200)).toBeNull();
    expect(table.answered('b', 'BYE', 200)).toBeNull();
  });
});

describe('server transactions', () => {
  function receive(method: string, reliable = false) {
    const clock = new ManualClock();
    const table = new ServerTransactions<string>(clock, silentObserver);
    const replies: string[] = [];
    const reply = async (text: string): Promise<void> =>
      void replies.push(`${text} at ${clock.monotonicMs()}`);
    const again = (): string => table.received('k', { method, reply, reliable, mergeKey: null });
    expect(again()).toBe('new');
    return { clock, table, replies, again };
  }

  it('repeats a refusal of INVITE until its ACK (timer G)', async () => {
    const { clock, table, replies } = receive('INVITE');
    await table.respond('k', 'INVITE', 486, 'busy');
    clock.advance(8_000);
    table.acknowledged('k');
    clock.advance(60_000);
    expect(replies).toEqual(['busy at 0', 'busy at 500', 'busy at 1500', 'busy at 3500', 'busy at 7500']);
    expect(table.size).toBe(0);
  });

  it('gives up at 64*T1 without an ACK (timer H), and repeats nothing over TCP', async () => {
    const udp = receive('INVITE');
    await udp.table.respond('k', 'INVITE', 486, 'busy');
    udp.clock.advance(100_000);
    expect(udp.replies).toHaveLength(11);
    const tcp = receive('INVITE', true);
    await tcp.table.respond('k', 'INVITE', 486, 'busy');
    tcp.clock.advance(100_000);
    expect(tcp.replies).toHaveLength(1);
  });

  it('answers a repeated request from memory (timer J)', async () => {
    const { table, replies, again } = receive('BYE');
    expect(again()).toBe('pending');
    await table.respond('k', 'BYE', 200, 'ok');
    expect(again()).toBe('repeated');
    expect(replies).toEqual(['ok at 0', 'ok at 0']);
  });

  it('leaves the 2xx of an INVITE to its dialog, and keeps a long ringing INVITE', async () => {
    const { clock, table, replies, again } = receive('INVITE');
    clock.advance(120_000);
    await table.respond('k', 'INVITE', 200, 'ok');
    expect(again()).toBe('pending');
    clock.advance(31_000);
    expect(replies).toEqual(['ok at 120000']);
  });
});
