import type { ChatOrigin } from '../calls/call-domain.ts';
import type { KeptChatFiles } from '../calls/inbound-chat.ts';
import type { InboundFile } from '../connectors/contract/messenger.ts';
import type { FileDomain } from './file-domain.ts';
import { keepInboundFiles } from './keep-inbound-files.ts';
import { listedFiles } from './listed-attachments.ts';

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
