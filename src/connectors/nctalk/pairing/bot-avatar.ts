import type { OutboundFile } from '../../contract/messenger.ts';

/** Five bars of sound, 256 × 256, as PNG. Nextcloud takes squares. */
const PICTURE = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAQAAAAEAAQMAAABmvDolAAAABlBMVEUvW+r///+lIne4AAABFElEQVR42u2YOw6DMBBEsVxQ',
    '+ggcxUdzjsZRcgTKFIjNUhqhnYSVIjvMFBT4CVF4Zj/DQFEURfWmcQHAtAIgbwAQefiAIDKbQBR5Ng+MIguBWwBhBcAoAEhq',
    'CRPIett8QNEzExB5NQ9oNKyfAtMMgLIAQH/GBKJsTkAfNpDOw7ItYDoPbAK77QAQ9I0JRDW2CSS9pl8Dpar5enYAQvWVrPf4',
    'AMSq/J0AqXLPFWD/LRPIlb2KeqlBoFQWJ0DgH4CfOwva/0qA+DOqjkEYpDCKYZjDcgALCixJrN2XgC5aNdhw+nta2Dbjxhu2',
    '7h2PMHgQ8896cJyEAykcaTn73w7oYu0Gl4f+/SRegcIlKlzDUhRFUe3pDQ5V+sXpRjW3AAAAAElFTkSuQmCC',
  ].join(''),
  'base64',
);

/** What people see beside the bot's name. */
export const BOT_AVATAR: OutboundFile = {
  name: 'avatar.png',
  mime: 'image/png',
  sizeBytes: PICTURE.length,
  async *open() {
    yield PICTURE;
  },
};
