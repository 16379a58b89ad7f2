import { hashToken, newId } from '../base/ids.ts';
import type { Platform } from '../base/platform.ts';
import { isoAfter } from '../base/time.ts';
import type { ChatOrigin } from '../calls/call-domain.ts';
import type { KeptChatFiles } from '../calls/inbound-chat.ts';
import type { InboundFile } from '../connectors/contract/messenger.ts';
import type { Db } from '../store/database/rows.ts';
import { insertFile } from '../store/messages/files.ts';
import { type FileDomain, INBOUND_LIFE_MS } from './file-domain.ts';
import { cleanFileName } from './file-name.ts';
import { listedFiles } from './listed-attachments.ts';
import { mimeOf } from './mime-type.ts';
import { newFileToken } from './upload-file.ts';

/** The account and login that received the files. */
export interface InboundOrigin {
  readonly accountId: string;
  readonly platform: Platform;
  /** See `keyOfLogin`. */
  readonly loginKey: string;
}

export interface KeptInbound {
  /** In order, without files that were too large. */
  readonly fileIds: readonly string[];
  /** Number of files without a record: they exceed the limit, or the platform does not hand out files that large. */
  readonly tooLarge: number;
}

/**
 * Creates records for the files of an inbound message, in the transaction that stores the message. Their bytes stay on
 * the platform until they are requested.
 */
export async function keepInboundFiles(
  domain: Pick<FileDomain, 'store' | 'clock' | 'maxBytes' | 'count'>,
  trx: Db,
  origin: InboundOrigin,
  files: readonly InboundFile[],
): Promise<KeptInbound> {
  const fitting = files.filter(({ ref, sizeBytes }) => ref !== null && (sizeBytes ?? 0) <= domain.maxBytes);
  const fileIds: string[] = [];
  for (const file of fitting) fileIds.push(await keepRemote(domain, trx, origin, file));
  const tooLarge = files.length - fitting.length;
  if (tooLarge > 0) domain.count('too_large');
  return { fileIds, tooLarge };
}

async function keepRemote(
  { store, clock }: Pick<FileDomain, 'store' | 'clock'>,
  trx: Db,
  origin: InboundOrigin,
  { name, mime, sizeBytes, ref }: InboundFile,
): Promise<string> {
  const id = newId('f');
  const token = newFileToken();
  const createdAt = clock.nowIso();
  await insertFile(trx, store.secrets, {
    ...origin,
    id,
    token,
    tokenHash: hashToken(token),
    origin: 'inbound',
    name: cleanFileName(name),
    mime: mimeOf(mime, new Uint8Array()),
    sizeBytes,
    state: 'remote',
    slotHash: null,
    slotExpiresAt: null,
    remoteRef: ref,
    createdAt,
    cachedUntil: null,
    expiresAt: isoAfter(createdAt, INBOUND_LIFE_MS),
  });
  return id;
}

/** Keeps the files of a message in the chat of a call, as those of a direct message. */
export async function keepChatFiles(
  domain: FileDomain,
  { accountId, platform, login }: ChatOrigin,
  files: readonly InboundFile[],
): Promise<KeptChatFiles> {
  const origin = { accountId, platform, loginKey: 'id' in login ? login.id : login.kind };
  const { fileIds, tooLarge } = await domain.store.db
    .transaction()
    .execute((trx) => keepInboundFiles(domain, trx, origin, files));
  const listed = await listedFiles(domain, domain.publicUrl(), fileIds);
  const kept = fileIds.flatMap((fileId) => {
    const file = listed.get(fileId);
    return file === undefined ? [] : { fileId, ...file };
  });
  return { files: kept, tooLarge };
}
