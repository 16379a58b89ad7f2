import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { OutboundFile } from '../../contract/messenger.ts';

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4 */
export const CONSENT_INVOKE = 'fileConsent/invoke';

/** The answer of a person to the card that offers a file. */
export const Consent = z.object({
  action: z.enum(['accept', 'decline']),
  context: z.object({ offer: z.string().regex(/^[\w-]{22}$/) }),
  uploadInfo: field(
    z.object({
      contentUrl: z.string().min(1),
      name: z.string(),
      uploadUrl: z.string().min(1),
      uniqueId: z.string(),
      fileType: field(z.string()),
    }),
  ),
});

export type Consent = z.output<typeof Consent>;
export type UploadInfo = NonNullable<Consent['uploadInfo']>;

/** A card with buttons to accept or decline a file. */
export function consentCard({ name, sizeBytes }: OutboundFile, offerId: string): object {
  const context = { offer: offerId };
  return {
    contentType: 'application/vnd.microsoft.teams.card.file.consent',
    name,
    content: { description: name, sizeInBytes: sizeBytes, acceptContext: context, declineContext: context },
  };
}

/** A card that shows an uploaded file. */
export function infoCard({ contentUrl, name, uniqueId, fileType }: UploadInfo): object {
  return {
    contentType: 'application/vnd.microsoft.teams.card.file.info',
    contentUrl,
    name,
    content: { uniqueId, ...(fileType === undefined ? {} : { fileType }) },
  };
}
