import { type ApiError, statusError } from './graph-errors.ts';
import type { SendRequest } from './message-request.ts';
import type { FakePerson } from './person.ts';

/** Whole seconds, as text. */
export function timestampOf(nowMs: number): string {
  return `${Math.floor(nowMs / 1000)}`;
}

/** What is posted around a value. */
export function payloadOf(value: object, phoneNumberId: string): object {
  const metadata = { display_phone_number: '15550783881', phone_number_id: phoneNumberId };
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
  return { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes: [change] }] };
}

/** A status of a message that a person got; failures say less about the person. */
export function statusValue(
  person: FakePerson,
  message: { readonly wamid: string; readonly request: SendRequest | undefined },
  { status, error }: { readonly status: string; readonly error?: ApiError | undefined },
  nowMs: number,
): object {
  const echoed = message.request?.biz_opaque_callback_data;
  const told = {
    id: message.wamid,
    status,
    timestamp: timestampOf(nowMs),
    ...person.recipient(),
    ...(echoed === undefined ? {} : { biz_opaque_callback_data: echoed }),
    ...(error ? { errors: [statusError(error)] } : {}),
  };
  return { ...(error ? {} : { contacts: [person.contact()] }), statuses: [told] };
}

/** A person changed their number; such messages come without contacts. */
export function newNumberValue(
  person: FakePerson,
  before: { readonly phone: string; readonly userId: string },
  wamid: string,
  nowMs: number,
): object {
  const system = {
    body: `${person.name} changed their number`,
    type: 'user_changed_number',
    wa_id: person.phone,
    user_id: person.userId,
    previous_user_id: before.userId,
  };
  const from = { from: before.phone, from_user_id: before.userId };
  return { messages: [{ ...from, id: wamid, timestamp: timestampOf(nowMs), type: 'system', system }] };
}
