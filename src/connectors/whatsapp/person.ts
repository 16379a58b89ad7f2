/**
 * People have two names on WhatsApp: a phone number, which those with a username may hide, and since 2026 an id that is
 * scoped to the business and always told. The latter is the lasting one here, the number its alias.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
const BUSINESS_SCOPED_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** How a request names whom it is for. */
export type Recipient = { readonly to: string } | { readonly recipient: string };

export function recipientOf(remoteId: string): Recipient {
  return BUSINESS_SCOPED_ID.test(remoteId) ? { recipient: remoteId } : { to: remoteId };
}

/** The lasting name and the other one of somebody; undefined: they have none that we may know. */
export function namesOf(
  userId: string | undefined,
  phone: string | undefined,
): { readonly remoteId: string; readonly alias: string | null } | undefined {
  if (userId) return { remoteId: userId, alias: phone || null };
  return phone ? { remoteId: phone, alias: null } : undefined;
}
