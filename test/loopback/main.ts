import { CONNECTORS } from '../../src/assembly/platforms.ts';
import { systemClock } from '../../src/base/time.ts';
import { startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';
import { makeLoopback } from './make-loopback.ts';

const CLOSE_DEADLINE_MS = 5_000;

/** A gateway process with the loopback platform added: what `npm start` runs, and one more entry in the list. */
async function main(): Promise<void> {
  const loaded = loadSettings(process.env, '/nowhere');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  const loggers = openLoggers(loaded.settings.logLevel);
  const gateway = await startGateway(loaded.settings, systemClock, loggers, {
    platforms: [...CONNECTORS, makeLoopback],
    bridgeWorkerUrl: new URL('./bridge.worker.ts', import.meta.url),
  });
  process.once('SIGTERM', async () => {
    await gateway.close(CLOSE_DEADLINE_MS);
    loggers.flush();
    process.exit(0);
  });
}

void main();
