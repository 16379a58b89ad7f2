import { describe, expect, it } from 'vitest';
import { systemRoutes } from '../../../src/api/rest/system.ts';
import { served } from './served.ts';

describe('system routes', () => {
  it('expose health, readiness and metrics to everyone', async () => {
    let problem: string | null = 'registering';
    const { url } = await served(
      systemRoutes({
        readiness: [
          { name: 'database', problem: () => null },
          { name: 'trunk', problem: () => problem },
        ],
        metrics: async () => 'calls_active 3\n',
      }),
    );
    const health = await fetch(`${url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);

    const notYet = await fetch(`${url}/readyz`);
    expect([notYet.status, await notYet.json()]).toEqual([
      503,
      {
        detail: 'The gateway is not ready',
        code: 'not_ready',
        status: 'not_ready',
        not_ready: [{ name: 'trunk', reason: 'registering' }],
      },
    ]);
    problem = null;
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);

    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await metrics.text()).toBe('calls_active 3\n');
  });

  it('return 500 when the metrics fail', async () => {
    const { url, failures } = await served(
      systemRoutes({ readiness: [], metrics: () => Promise.reject(new Error('registry')) }),
    );
    expect((await fetch(`${url}/metrics`)).status).toBe(500);
    expect(failures).toHaveLength(1);
  });
});
