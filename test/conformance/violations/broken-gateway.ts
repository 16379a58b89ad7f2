import { readFileSync } from 'node:fs';
import { CONNECTORS } from '../../../src/assembly/platforms.ts';
import { systemClock } from '../../../src/base/time.ts';
import { startGateway } from '../../../src/gateway.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { openLoggers } from '../../../src/telemetry/loggers.ts';
import { makeLoopback } from '../../loopback/make-loopback.ts';
import { breakable, breaking, withBreakableBridges } from './breakable.ts';

const CLOSE_MS = 5_000;

/**
 * A gateway whose connectors violate the rule that VIOLATION_FILE names at the time; '' is none. A process of its own, so
 * that it can be killed.
 */
async function main(): Promise<void> {
  const { VIOLATION_FILE: file = '' } = process.env;
  const broken = breaking(() => readFileSync(file, 'utf8'));
  const loaded = loadSettings(process.env, '/nowhere');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  const gateway = await startGateway(loaded.settings, systemClock, openLoggers('info'), {
    platforms: [...CONNECTORS, makeLoopback].map((make) => withBreakableBridges(make, broken)),
    wrap: (connector) => breakable(connector, broken),
    bridgeWorkerUrl: new URL('../../loopback/bridge.worker.ts', import.meta.url),
  });
  process.once('SIGTERM', () => void gateway.close(CLOSE_MS).then(() => process.exit(0)));
}

void main();
