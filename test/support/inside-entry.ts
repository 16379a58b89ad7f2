import type { DestinationStream } from 'pino';
import { type Clock, systemClock } from '../../src/base/time.ts';
import { type Gateway, startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';

/**
 * Starts a gateway with exactly these settings in this process. Its log goes to `log`. Rejects when a setting is wrong
 * or a part cannot start.
 */
export async function startInside(
  env: Readonly<Record<string, string | undefined>>,
  log: DestinationStream,
  clock: Clock = systemClock,
): Promise<Gateway> {
  const loaded = loadSettings(env, '/nowhere');
  if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
  return await startGateway(loaded.settings, clock, openLoggers(loaded.settings.logLevel, log));
}
