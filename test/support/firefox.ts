import { fileURLToPath } from 'node:url';
import { type Browser, firefox } from 'playwright-core';

/** Its microphone hums, and pages need not ask for it. */
const HUMMING_MICROPHONE = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
};

/** Debian's Firefox, by WebDriver BiDi. */
export async function launchFirefox(): Promise<Browser> {
  return await firefox.launch({
    channel: 'moz-firefox',
    executablePath: fileURLToPath(new URL('./firefox-esr.mjs', import.meta.url)),
    firefoxUserPrefs: HUMMING_MICROPHONE,
  });
}
