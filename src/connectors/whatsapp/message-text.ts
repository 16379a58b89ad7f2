import { platformJson } from '../../base/platform-json.ts';
import { linesOf } from '../kit/text-lines.ts';
import { OWN_CHOICE } from './choices.ts';
import { mediaOf } from './message-media.ts';
import type { WireMessage } from './webhook-payload.ts';

/** Returns what a message says, with where it comes from. What an agent can only be told about is described in brackets. */
export function textOf(message: WireMessage): string {
  return linesOf([...originOf(message), wordsOf(message)]);
}

/** An advertisement, a product, or another chat. */
function originOf({ referral, context }: WireMessage): string[] {
  const product = context?.referred_product?.product_retailer_id;
  const { headline, body, source_url: url } = referral ?? {};
  return [
    ...(referral ? [`[from the ad ${[headline ?? body, url].filter(Boolean).join(', ')}]`] : []),
    ...(product === undefined ? [] : [`[about the product ${product}]`]),
    ...(context?.forwarded || context?.frequently_forwarded ? ['[forwarded]'] : []),
  ];
}

function wordsOf(message: WireMessage): string {
  const { type, button } = message;
  if (type === 'text') return message.text?.body ?? '';
  if (type === 'button') return picked(button?.text ?? '', button?.payload);
  const choice = choiceIn(message);
  if (choice !== null) return choice;
  if (type === 'interactive') return interactiveText(message);
  if (type === 'location') return locationText(message);
  if (type === 'contacts') return contactsText(message);
  if (type === 'order') return orderText(message);
  const media = mediaOf(message);
  return media ? (media.caption ?? '') : `[unsupported message: ${type}]`;
}

/** The label of one of the gateway's own buttons (`choicesOf`) that the person has pressed; null: it is none. */
export function choiceIn({ interactive }: WireMessage): string | null {
  const reply = interactive?.button_reply ?? interactive?.list_reply;
  return reply?.id !== undefined && OWN_CHOICE.test(reply.id) ? reply.title : null;
}

/** The words that the person saw, and what they stand for. */
function picked(title: string, id = '', description = ''): string {
  const words = description === '' ? title : `${title} (${description})`;
  return id === '' || id === title ? words : `${words}\n[id: ${id}]`;
}

function interactiveText({ interactive }: WireMessage): string {
  const { button_reply: button, list_reply: row, nfm_reply: form } = interactive ?? {};
  const reply = button ?? row;
  if (reply) return picked(reply.title, reply.id, reply.description);
  if (!form) return '[reply]';
  return [`[form] ${form.body ?? ''}`.trim(), ...answersIn(form.response_json ?? '')].join('\n');
}

/** The token of a Flow is the business's own, and may be a secret. */
const FLOW_TOKEN = 'flow_token';

function answersIn(json: string): string[] {
  const answers = platformJson(json);
  if (typeof answers !== 'object' || answers === null) return [];
  return Object.entries(answers)
    .filter(([name]) => name !== FLOW_TOKEN)
    .map(([name, answer]) => `${name}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`);
}

function orderText({ order }: WireMessage): string {
  const items = (order?.product_items ?? []).map(
    ({ product_retailer_id: product, quantity = 1, item_price: price, currency = '' }) =>
      `- ${quantity} × ${product}${price === undefined ? '' : ` at ${price} ${currency}`.trimEnd()}`,
  );
  return [`[order] ${order?.text ?? ''}`.trim(), ...items].join('\n');
}

function locationText({ location }: WireMessage): string {
  if (!location) return '[location]';
  const { latitude, longitude, name, address } = location;
  return `[location: ${[`${latitude}, ${longitude}`, name, address].filter(Boolean).join('; ')}]`;
}

function contactsText({ contacts = [] }: WireMessage): string {
  return contacts
    .map(({ name, phones, emails = [] }) =>
      [name.formatted_name, ...phones.map(({ phone }) => phone), ...emails.map(({ email }) => email)]
        .filter(Boolean)
        .join(', '),
    )
    .map((text) => `[contact: ${text}]`)
    .join('\n');
}
