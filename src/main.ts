import { fileURLToPath } from 'node:url';
import { banner } from './banner.ts';
import { productVersion } from './base/product-version.ts';
import { systemClock } from './base/time.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { readCommandLine, usage } from './settings/command-line.ts';
import { loadSettings } from './settings/settings.ts';
import { type Loggers, openLoggers } from './telemetry/loggers.ts';
import { makeHelpersYield } from './threads/v8-helpers.ts';

/** sysexits.h: EX_USAGE, EX_UNAVAILABLE, EX_CONFIG. */
const EXIT_USAGE = 64;
const EXIT_UNAVAILABLE = 69;
const EXIT_CONFIG = 78;
const CLOSE_DEADLINE_MS = 5_000;

const CONFIG_DIR = fileURLToPath(new URL('../config', import.meta.url));

/** Reads the command line and the environment, starts the gateway and closes it on a signal. */
async function main(): Promise<void> {
  makeHelpersYield();
  const order = readCommandLine(process.argv.slice(2));
  if (order.kind === 'mistake') return giveUp(EXIT_USAGE, [order.text]);
  if (order.kind !== 'run') return print(order.kind === 'help' ? usage() : `${productVersion()}\n`);
  const loaded = loadSettings({ ...process.env, ...order.values }, CONFIG_DIR);
  if ('mistakes' in loaded) return giveUp(EXIT_CONFIG, ['Invalid settings:', ...loaded.mistakes]);
  const loggers = openLoggers(loaded.settings.logLevel);
  watchFaults(loggers);
  // Writing the banner may fail: a full disk, a closed pipe.
  process.stdout.on('error', () => {});
  try {
    const gateway = await startGateway(loaded.settings, systemClock, loggers);
    closeOnSignal(gateway, loggers);
    const { publicUrl, sipPort, sipTlsPort } = gateway;
    loggers.main.info({ publicUrl, sipPort, sipTlsPort }, 'ready');
    process.stdout.write(banner(gateway, loaded.settings));
  } catch (error) {
    loggers.main.debug({ err: error }, 'start failed');
    loggers.flush();
    giveUp(EXIT_UNAVAILABLE, ['The gateway cannot start:', (error as Error).message]);
  }
}

function print(text: string): void {
  process.stdout.write(text, () => process.exit(0));
}

function giveUp(exitCode: number, [headline, ...lines]: [string, ...string[]]): void {
  process.stderr.write(`${headline}\n${lines.map((line) => `  ${line}\n`).join('')}`);
  process.exit(exitCode);
}

/** Closes the gateway gracefully on the first signal and exits at once on a second one. */
function closeOnSignal(gateway: Gateway, loggers: Loggers): void {
  let closing = false;
  const onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    if (closing) process.exit(1);
    closing = true;
    loggers.main.info({ signal }, 'closing');
    await gateway.close(CLOSE_DEADLINE_MS);
    loggers.flush();
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void onSignal(signal));
  process.on('SIGINT', (signal) => void onSignal(signal));
}

/** Logs unhandled faults and keeps running: a bug outside any call or request must not end the other calls. */
function watchFaults(loggers: Loggers): void {
  process.on('uncaughtException', (error) => loggers.main.fatal({ err: error }, 'uncaught exception'));
  process.on('unhandledRejection', (reason) => loggers.main.fatal({ err: reason }, 'unhandled rejection'));
}

void main();
