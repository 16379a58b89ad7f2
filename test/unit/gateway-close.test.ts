import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/time.ts';
import { startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';
import { temporaryDir } from './store/temporary.ts';

test('a gateway closes once for all callers, and its data can be opened again', async () => {
  const env = { SVC_DATA_DIR: temporaryDir(), SVC_PORT: '0', SVC_SIP_PORT: '0', SVC_SIP_HOST: '127.0.0.1' };
  const loaded = loadSettings({ ...env, SVC_ENGINE_THREADS: '1' }, '/nowhere');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join());
  const lines: string[] = [];
  const loggers = openLoggers('info', { write: (line) => void lines.push(line) });
  for (let start = 0; start < 2; start++) {
    const gateway = await startGateway(loaded.settings, systemClock, loggers);
    // No platform has asked for one.
    const metrics = await (await fetch(`${gateway.publicUrl}/metrics`)).text();
    expect(metrics).toContain('\nsvc_bridge_threads 0\n');
    let isClosed = false;
    void gateway.close(2_000).then(() => {
      isClosed = true;
    });
    // The second caller must not learn that everything is closed before it is.
    await gateway.close(2_000);
    expect(isClosed).toBe(true);
  }
  expect(lines.filter((line) => /error|fatal/.test(line))).toEqual([]);
});
