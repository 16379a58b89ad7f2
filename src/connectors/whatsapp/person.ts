/**
 * People have two identifiers on WhatsApp: a phone number, which people with a username may hide, and since 2026 a
 * business-scoped user id, which Meta always sends. The id is the permanent identifier here, and the number its alias.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids
 */
const BUSINESS_SCOPED_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Recipient fields of a request. */
export type Recipient = { readonly to: string } | { readonly recipient: string };

export function recipientOf(remoteId: string): Recipient {
  return BUSINESS_SCOPED_ID.test(remoteId) ? { recipient: remoteId } : { to: remoteId };
}

/** Returns a person's permanent identifier and alias; undefined when neither is available to us. */
export function namesOf(
  userId: string | undefined,
  phone: string | undefined,
): { readonly remoteId: string; readonly alias: string | null } | undefined {
  if (userId) return { remoteId: userId, alias: phone || null };
  return phone ? { remoteId: phone, alias: null } : undefined;
}
