import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { MessageIntake, OutboundFile } from '../../contract/messenger.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { type Activity, placeOf } from '../activities/activity.ts';
import type { AllowedHosts } from '../auth/allowed-hosts.ts';
import { failureOf, type TeamsApi } from '../client.ts';
import { type PostTarget, postActivity } from '../messages/posting.ts';
import type { FileToOffer } from '../messages/send-message.ts';
import type { TeamsObserver } from '../teams-observer.ts';
import type { OfferedFile, TeamsRecords } from '../teams-records.ts';

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4 */
export const CONSENT_INVOKE = 'fileConsent/invoke';

/** The answer of a person to the card that offers a file. */
const Consent = z.object({
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

type UploadInfo = NonNullable<z.output<typeof Consent>['uploadInfo']>;

const OFFER_BYTES = 16;
const CARD_DEADLINE_MS = 20_000;
/** Uploads at a time. Further consents are answered with a failure, and the person can press the button again. */
const MAX_UPLOADS = 20;

export interface OfferedFilesDeps {
  readonly api: TeamsApi;
  readonly observer: TeamsObserver;
  intake(): Pick<MessageIntake, 'sentFile'>;
  readonly records: Pick<TeamsRecords, 'offer' | 'putOffer' | 'deleteOffer'>;
  /** Hosts of people's OneDrives. */
  readonly hosts: AllowedHosts;
}

/**
 * Files that agents send: a person is offered each one by a card, and only once they accept does Teams say where to
 * upload it to.
 */
export class OfferedFiles {
  readonly #deps: OfferedFilesDeps;
  readonly #ending = new AbortController();
  readonly #uploading = new Map<string, Promise<void>>();

  constructor(deps: OfferedFilesDeps) {
    this.#deps = deps;
  }

  /** Shows the card and returns its id. The offer is on disk before. Rejects with a PlatformFailure. */
  async offer(
    { file, index, messageId, personId }: FileToOffer,
    target: PostTarget,
    options: CallOptions,
  ): Promise<string> {
    const offerId = randomBytes(OFFER_BYTES).toString('base64url');
    const { conversationId } = target.reference;
    await this.#deps.records.putOffer({ offerId, messageId, fileIndex: index, personId, conversationId });
    const activity = { type: 'message', attachments: [consentCard(file, offerId)] } as const;
    return await postActivity(this.#deps.api, target, activity, options);
  }

  /** Handles a person's answer. Resolves before the upload is over. */
  async answered(activity: Activity): Promise<void> {
    const { data: consent } = Consent.safeParse(activity.value);
    const place = placeOf(activity);
    const offer = consent && (await this.#deps.records.offer(consent.context.offer));
    const isTheirs =
      place !== null &&
      offer?.personId === place.address.space.id &&
      offer.conversationId === place.reference.conversationId;
    if (!consent || !offer || !isTheirs) return this.#deps.observer.count('file_refused');
    if (consent.action === 'decline') return await this.#deps.records.deleteOffer(offer.offerId);
    if (!consent.uploadInfo || !this.#deps.hosts.allows(consent.uploadInfo.uploadUrl))
      return this.#deps.observer.count('file_refused');
    this.#upload(offer, consent.uploadInfo, { reference: place.reference, thread: null });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#uploading.values());
  }

  /** What fails is still offered: the person can press the button again. */
  #upload(offer: OfferedFile, info: UploadInfo, target: PostTarget): void {
    const { offerId } = offer;
    if (this.#uploading.has(offerId)) return;
    if (this.#uploading.size >= MAX_UPLOADS) return this.#deps.observer.count('file_failed');
    const uploading = this.#uploadOnce(offer, info, target)
      .catch((error: unknown) => {
        this.#deps.observer.count('file_failed');
        this.#deps.observer.log('warn', 'a file was not uploaded', { reason: failureOf(error).message });
      })
      .finally(() => this.#uploading.delete(offerId));
    this.#uploading.set(offerId, uploading);
  }

  async #uploadOnce(offer: OfferedFile, info: UploadInfo, target: PostTarget): Promise<void> {
    const { api, records } = this.#deps;
    const { signal } = this.#ending;
    const file = await this.#deps.intake().sentFile(offer.messageId, offer.fileIndex);
    if (file === null) return await this.#gone(offer, target);
    await api.uploadFile(file, info.uploadUrl, signal);
    await records.deleteOffer(offer.offerId);
    const activity = { type: 'message', attachments: [infoCard(info)] } as const;
    await postActivity(api, target, activity, { deadlineMs: CARD_DEADLINE_MS, signal });
  }

  async #gone({ offerId }: OfferedFile, target: PostTarget): Promise<void> {
    await this.#deps.records.deleteOffer(offerId);
    const activity = { type: 'message', text: 'This file is no longer available.' } as const;
    const options = { deadlineMs: CARD_DEADLINE_MS, signal: this.#ending.signal };
    await postActivity(this.#deps.api, target, activity, options);
  }
}

/** A card with buttons to accept or decline a file. */
function consentCard({ name, sizeBytes }: OutboundFile, offerId: string): object {
  const context = { offer: offerId };
  return {
    contentType: 'application/vnd.microsoft.teams.card.file.consent',
    name,
    content: { description: name, sizeInBytes: sizeBytes, acceptContext: context, declineContext: context },
  };
}

/** A card that shows an uploaded file. */
function infoCard({ contentUrl, name, uniqueId, fileType }: UploadInfo): object {
  return {
    contentType: 'application/vnd.microsoft.teams.card.file.info',
    contentUrl,
    name,
    content: { uniqueId, ...(fileType === undefined ? {} : { fileType }) },
  };
}
