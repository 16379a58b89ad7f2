import { type PayloadKind, seen, unseen } from './payload-kind.ts';

const MEDIA = { id: '1', mime_type: 'image/jpeg', sha256: '' };
const PLACE = { latitude: 48.85, longitude: 2.35 };
const text = (body: string) => ({ type: 'text', text: { body } });
const media = (type: string, mime_type: string, more: object = {}) => ({
  type,
  [type]: { ...MEDIA, mime_type, ...more },
});
const reply = (type: string, more: object) => ({ type: 'interactive', interactive: { type, [type]: more } });
const contact = (more: object) => ({
  type: 'contacts',
  contacts: [{ name: { formatted_name: 'Bob' }, ...more }],
});
const form = (response_json: string) => reply('nfm_reply', { name: 'flow', body: 'Sent', response_json });

/** Of a message (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages). */
export const WHATSAPP_KINDS: Readonly<Record<string, PayloadKind>> = {
  text: seen(text('hello'), /^hello$/),
  'reply to a message': seen({ ...text('B'), context: { id: 'wamid.q' } }, /^B$/),
  forward: seen({ ...text('hello'), context: { forwarded: true } }, /^\[forwarded\]\nhello$/),
  'frequent forward': seen(
    { ...media('image', 'image/jpeg'), context: { frequently_forwarded: true } },
    /^\[forwarded\]\nfile: image\.jpg$/,
  ),
  'question about a product': seen(
    { ...text('how much?'), context: { referred_product: { catalog_id: '1', product_retailer_id: 'tea' } } },
    /^\[about the product tea\]\nhow much\?$/,
  ),
  'message through an ad': seen(
    { ...text('hi'), referral: { headline: 'Tea', source_url: 'https://fb.me/1' } },
    /^\[from the ad Tea, https:\/\/fb\.me\/1\]\nhi$/,
  ),
  'ad without a headline': seen(
    { ...text('hi'), referral: { body: 'Hot tea' } },
    /^\[from the ad Hot tea\]\nhi$/,
  ),
  image: seen(media('image', 'image/jpeg'), /^\nfile: image\.jpg$/),
  'image with a caption': seen(media('image', 'image/png', { caption: 'look' }), /^look\nfile: image\.png$/),
  video: seen(media('video', 'video/mp4'), /file: video\.mp4/),
  'video with a caption': seen(media('video', 'video/mp4', { caption: 'look' }), /^look\nfile: video\.mp4/),
  audio: seen(media('audio', 'audio/mpeg'), /file: audio\.mp3/),
  'voice message': seen(media('audio', 'audio/ogg; codecs=opus', { voice: true }), /file: voice\.ogg/),
  'voice message of another phone': seen(media('audio', 'audio/amr', { voice: true }), /file: voice\.amr/),
  document: seen(media('document', 'application/pdf', { filename: 'plan.pdf' }), /^\nfile: plan\.pdf$/),
  'document without a name': seen(media('document', 'application/zip'), /file: document\.bin/),
  'document with a caption': seen(
    media('document', 'application/pdf', { filename: 'plan.pdf', caption: 'look' }),
    /^look\nfile: plan\.pdf$/,
  ),
  sticker: seen(media('sticker', 'image/webp', { animated: false }), /file: sticker\.webp/),
  'animated sticker': seen(media('sticker', 'image/webp', { animated: true }), /file: sticker\.webp/),
  location: seen({ type: 'location', location: PLACE }, /^\[location: 48\.85, 2\.35\]$/),
  'named location': seen(
    { type: 'location', location: { ...PLACE, name: 'Cafe', address: 'Street 1' } },
    /^\[location: 48\.85, 2\.35; Cafe; Street 1\]$/,
  ),
  'location without a place': seen({ type: 'location' }, /^\[location\]$/),
  contact: seen(contact({ phones: [{ phone: '+33123' }] }), /^\[contact: Bob, \+33123\]$/),
  'contact with a mail address': seen(
    contact({ emails: [{ email: 'b@c.d' }] }),
    /^\[contact: Bob, b@c\.d\]$/,
  ),
  'contact with a name only': seen(contact({}), /^\[contact: Bob\]$/),
  'two contacts': seen(
    { type: 'contacts', contacts: ['Bob', 'Eve'].map((formatted_name) => ({ name: { formatted_name } })) },
    /^\[contact: Bob\]\n\[contact: Eve\]$/,
  ),
  order: seen(
    {
      type: 'order',
      order: {
        catalog_id: '1',
        product_items: [{ product_retailer_id: 'tea', quantity: 2, item_price: 3, currency: 'EUR' }],
      },
    },
    /^\[order\]\n- 2 × tea at 3 EUR$/,
  ),
  'order with words': seen(
    { type: 'order', order: { text: 'quick', product_items: [{ product_retailer_id: 'tea' }] } },
    /^\[order\] quick\n- 1 × tea$/,
  ),
  'button of a template': seen(
    { type: 'button', button: { text: 'Yes', payload: 'confirm-7' } },
    /^Yes\n\[id: confirm-7\]$/,
  ),
  'button without a payload': seen({ type: 'button', button: { text: 'Yes' } }, /^Yes$/),
  'button of somebody else': seen(reply('button_reply', { id: 'b7', title: 'Yes' }), /^Yes\n\[id: b7\]$/),
  'row of a list': seen(
    reply('list_reply', { id: '2', title: 'Two', description: 'the second' }),
    /^Two \(the second\)\n\[id: 2\]$/,
  ),
  form: seen(form('{"size":"XL","flow_token":"secret"}'), /^\[form\] Sent\nsize: XL$/),
  'form with lists': seen(form('{"days":["Mon","Tue"]}'), /^\[form\] Sent\ndays: \["Mon","Tue"\]$/),
  'form without answers': seen(form('{'), /^\[form\] Sent$/),
  'request for a call': seen(reply('call_permission_reply', { response: 'accept' }), /^\[reply\]$/),
  'poll, which the API does not take': seen(
    { type: 'unsupported', errors: [{ code: 131_051, title: 'Message type unknown' }] },
    /^\[unsupported message: unsupported\]$/,
  ),
  'message for one view': seen(
    { type: 'unknown', errors: [{ code: 131_060 }] },
    /^\[unsupported message: unknown\]$/,
  ),
  'kind of the future': seen({ type: 'hologram', hologram: {} }, /^\[unsupported message: hologram\]$/),
  'edit without words': unseen({
    type: 'edit',
    edit: { original_message_id: 'wamid.1', message: { type: 'sticker' } },
  }),
  'image that is not told': seen({ type: 'image' }, /^\[unsupported message: image\]$/),
  'message of a group': unseen({ ...text('all'), group_id: 'g1' }),
  welcome: unseen({ type: 'request_welcome' }),
  'text without words': unseen(text('')),
};
