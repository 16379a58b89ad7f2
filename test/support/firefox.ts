import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, firefox } from 'playwright-core';
import { Child } from './child.ts';
import { waitFor } from './wait-for.ts';

/** Its microphone hums, and pages need not ask for it. */
const HUMMING_MICROPHONE = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
};

/** Debian's Firefox, by WebDriver BiDi. It plays no audio without a sound server, so it gets one of its own. */
export async function launchFirefox(): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-'));
  const socket = join(folder, 'socket');
  const pulse = new Child(
    'pulseaudio',
    [
      ...['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', '--load=module-null-sink'],
      `--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`,
    ],
    { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder } },
  );
  await waitFor('the sound server', () => existsSync(socket));
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: fileURLToPath(new URL('./firefox-esr.mjs', import.meta.url)),
    firefoxUserPrefs: HUMMING_MICROPHONE,
    env: { ...(process.env as Record<string, string>), PULSE_SERVER: `unix:${socket}` },
  });
  browser.once('disconnected', async () => {
    await pulse.stop();
    rmSync(folder, { recursive: true });
  });
  return browser;
}
