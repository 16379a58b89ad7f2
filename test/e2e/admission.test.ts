import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';

const MOST_CALLS = 2;

let gateway: Gateway;
/** A trunk that never answers: its calls stay on their way. */
let trunk: Socket;

beforeAll(async () => {
  trunk = createSocket('udp4');
  trunk.bind(0, '127.0.0.1');
  await once(trunk, 'listening');
  gateway = await Gateway.start({ env: { SVC_MAX_CALLS: `${MOST_CALLS}` } });
  await gateway.putTrunk({ host: '127.0.0.1', port: trunk.address().port });
});
afterAll(async () => {
  await gateway?.stop();
  trunk?.close();
});

const place = () =>
  gateway.agentApi.post('/api/call', {
    platform: 'sip',
    meeting_url: `sip:1@127.0.0.1:${trunk.address().port}`,
  });

it('refuses what is more than the box takes with 503, says so when asked, and takes calls again', async () => {
  const placed = [await place(), await place()];
  expect(placed.map(({ status }) => status)).toEqual([200, 200]);
  const { status, body, headers } = await place();
  expect([status, body.code]).toEqual([503, 'overloaded']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const readiness = await gateway.api(null).get('/readyz');
  expect([readiness.status, readiness.body.not_ready]).toEqual([
    503,
    [{ name: 'calls', reason: '2 calls are live, which is the most' }],
  ]);
  expect(await gateway.metric('svc_calls_refused_total')).toBe(1);
  expect((await gateway.agentApi.delete(`/api/call/${placed[0]!.body.call_id}`)).status).toBe(202);
  expect((await place()).status).toBe(200);
});
