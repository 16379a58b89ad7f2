import { type Browser, chromium } from 'playwright-core';

/** Its microphone beeps once a second, and pages need not ask for it. */
const BEEPING_MICROPHONE = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

/** Debian's Chromium. Where tests run as root, as in a container, its own sandbox cannot. */
export async function launchChromium({ hasMicrophone = false } = {}): Promise<Browser> {
  const args = ['--no-sandbox', ...(hasMicrophone ? BEEPING_MICROPHONE : [])];
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args });
}
