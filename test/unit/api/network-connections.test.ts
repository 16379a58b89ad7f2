import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ClientAddresses } from '../../../src/api/auth/client-addresses.ts';
import { reply } from '../../../src/api/http/answer/reply.ts';
import { countConnections, NetworkConnections } from '../../../src/api/http/network-connections.ts';
import { route } from '../../../src/api/http/routing/route.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { served } from './served.ts';

const MOST = 20;

const get = route({
  method: 'get',
  path: '/x',
  access: 'public',
  operationId: 'get',
  summary: 'get',
  tags: [],
  responses: { 200: { description: 'a word', schema: z.string() } },
  handler: () => reply(200, 'here'),
});

/** A server, and who connects to it. */
async function networks(trusted: readonly string[] = []) {
  const clock = new ManualClock();
  const full: string[] = [];
  let port = 0;
  const limit: NetworkConnections = new NetworkConnections({
    most: MOST,
    countFrom: countConnections(() => port),
    addresses: new ClientAddresses(trusted),
    clock,
    onFull: (address) => full.push(address),
  });
  ({ port } = await served([get], { admitsConnection: (peer) => limit.admits(peer) }));
  const ask = (localAddress: string) => answered(port, localAddress);
  const askMany = async (count: number, localAddress: string) =>
    await Promise.all(Array.from({ length: count }, () => ask(localAddress)));
  return { clock, full, limit, port, ask, askMany };
}

/** A connection that was answered and stays open; null if it was closed at once. */
async function answered(port: number, localAddress: string): Promise<Socket | null> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  return await new Promise((resolve) => {
    socket.once('data', () => resolve(socket));
    socket.once('close', () => resolve(null));
  });
}

const isOpen = (socket: Socket | null) => socket !== null;

describe('connections of a network', () => {
  it('are bounded, whatever their addresses within it, and those of others are not touched', async () => {
    const { askMany, ask, limit, full } = await networks();
    expect((await askMany(MOST, '127.0.1.1')).every(isOpen)).toBe(true);
    expect((await askMany(5, '127.0.1.2')).some(isOpen)).toBe(false);
    expect(await ask('127.0.2.1')).not.toBeNull();
    expect([limit.refused, full]).toEqual([5, ['127.0.1.2']]);
  });

  it('make room when they close, which is seen once a second', async () => {
    const { askMany, ask, limit, clock, port } = await networks();
    const open = await askMany(MOST, '127.0.1.1');
    expect(await ask('127.0.1.1')).toBeNull();
    for (const socket of open.slice(0, 2)) socket!.destroy();
    await waitFor('their end', () => countConnections(() => port)('127.0.1.1') === MOST - 2);
    expect(await ask('127.0.1.1')).toBeNull();
    clock.advance(1_000);
    expect((await askMany(2, '127.0.1.1')).every(isOpen)).toBe(true);
    expect(await ask('127.0.1.1')).toBeNull();
    expect(limit.refused).toBe(3);
  });

  it('of a trusted proxy have no bound here', async () => {
    const { askMany, limit } = await networks(['127.0.1.0/24']);
    expect((await askMany(3 * MOST, '127.0.1.1')).every(isOpen)).toBe(true);
    expect(limit.refused).toBe(0);
  });
});
