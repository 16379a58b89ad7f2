import { expect, it } from 'vitest';
import { linked } from './linked.ts';

const MEDIA = { id: '1', mime_type: 'image/jpeg' };
const PLACE = { latitude: 48.85, longitude: 2.35 };
const reply = (type: string, more: object) => ({ type: 'interactive', interactive: { type, [type]: more } });

/** What people send, by kind. */
const SHOWN: Readonly<Record<string, object>> = {
  text: { type: 'text', text: { body: 'hello' } },
  'reply to a message': { type: 'text', text: { body: 'B' }, context: { id: 'wamid.q' } },
  forward: { type: 'text', text: { body: 'hello' }, context: { forwarded: true } },
  'frequent forward': { type: 'image', image: MEDIA, context: { frequently_forwarded: true } },
  'question about a product': {
    type: 'text',
    text: { body: 'how much?' },
    context: { referred_product: { catalog_id: '1', product_retailer_id: 'tea' } },
  },
  'message through an ad': {
    type: 'text',
    text: { body: 'hello' },
    referral: { headline: 'Tea', source_url: 'https://fb.me/1' },
  },
  image: { type: 'image', image: MEDIA },
  'image with caption': { type: 'image', image: { ...MEDIA, caption: 'look' } },
  video: { type: 'video', video: { ...MEDIA, mime_type: 'video/mp4' } },
  audio: { type: 'audio', audio: { ...MEDIA, mime_type: 'audio/mpeg' } },
  voice: { type: 'audio', audio: { ...MEDIA, mime_type: 'audio/ogg; codecs=opus', voice: true } },
  sticker: { type: 'sticker', sticker: { ...MEDIA, mime_type: 'image/webp' } },
  location: { type: 'location', location: PLACE },
  'named location': { type: 'location', location: { ...PLACE, name: 'Cafe', address: 'Street 1' } },
  contact: {
    type: 'contacts',
    contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '+33123' }] }],
  },
  'contact without a phone': { type: 'contacts', contacts: [{ name: { formatted_name: 'Bob' } }] },
  order: {
    type: 'order',
    order: { product_items: [{ product_retailer_id: 'tea', quantity: 2, item_price: 3, currency: 'EUR' }] },
  },
  'button of a template': { type: 'button', button: { text: 'Yes', payload: 'confirm-7' } },
  button: reply('button_reply', { id: 'choice-0', title: 'Yes' }),
  'row of a list': reply('list_reply', { id: '2', title: 'Two', description: 'the second' }),
  form: reply('nfm_reply', { body: 'Sent', response_json: '{"size":"XL"}' }),
  'request for a call': { type: 'interactive', interactive: { type: 'call_permission_reply' } },
  'poll, which the API does not take': { type: 'unsupported', errors: [{ code: 131051 }] },
  'a kind of the future': { type: 'hologram', hologram: {} },
  'message for one view': { type: 'unknown', errors: [{ code: 131060 }] },
};

it.each(Object.entries(SHOWN))('%s: agents see it', async (_kind, message) => {
  const { api, intake, ada } = await linked();
  expect(await api.posts(ada, [{ id: 'wamid.1', ...message }])).toBe(200);
  const [{ text, files }] = intake.messages as [(typeof intake.messages)[0]];
  expect(text.length + files.length).toBeGreaterThan(0);
});

it.each([
  ['a message of a group', { type: 'text', text: { body: 'all' }, group_id: 'g1' }],
  ['a welcome', { type: 'request_welcome' }],
])('%s: it is counted as ignored', async (_kind, message) => {
  const { api, intake, ada, events } = await linked();
  await api.posts(ada, [{ id: 'wamid.1', ...message }]);
  expect(intake.messages).toEqual([]);
  expect(events).toContain('message_ignored');
});
