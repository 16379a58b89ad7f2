import { CONNECTORS, type MakeConnector } from '../../src/assembly/platforms.ts';
import { systemClock } from '../../src/base/time.ts';
import { startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';
import { LoopbackConnector } from './loopback-connector.ts';
import { PLATFORM } from './platform.ts';

/** A gateway process with the loopback platform added: what `npm start` runs, and one more entry in the list. */

const CLOSE_DEADLINE_MS = 5_000;

const loopback: MakeConnector = ({ publicUrl, bridges, clock }) => {
  const webhookRoot = (): string => `${publicUrl()}/api/${PLATFORM}/webhook`;
  const setting = (name: string): string => process.env[`LOOPBACK_${name}`] ?? '';
  const options = {
    vendorUrl: setting('VENDOR_URL'),
    authorizationUrl: setting('AUTHORIZATION_URL'),
    clientId: setting('CLIENT_ID'),
    clientSecret: setting('CLIENT_SECRET'),
    webhookRoot,
  };
  return new LoopbackConnector(options, bridges, clock);
};

const loaded = loadSettings(process.env, '/nowhere');
if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
const loggers = openLoggers(loaded.settings.logLevel);
const gateway = await startGateway(loaded.settings, systemClock, loggers, {
  platforms: [...CONNECTORS, loopback],
  bridgeWorkerUrl: new URL('./bridge.worker.ts', import.meta.url),
});

process.once('SIGTERM', async () => {
  await gateway.close(CLOSE_DEADLINE_MS);
  loggers.flush();
  process.exit(0);
});
