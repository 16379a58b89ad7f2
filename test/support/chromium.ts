import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium. Where tests run as root, as in a container, its own sandbox cannot. */
export async function launchChromium(): Promise<Browser> {
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}
