import type { AttachmentSource, ResolvedFile } from '../../files/resolve-attachments.ts';
import { ANSWER_MS } from './dm.ts';
import type { OutboundDomain } from './outbound-domain.ts';

/** Resolves a message's attachments. Rejects with the errors of files/resolve-attachments. */
export async function filesToSend(
  { resolveFiles, clock }: OutboundDomain,
  accountId: string,
  attachments: readonly AttachmentSource[],
): Promise<readonly ResolvedFile[]> {
  if (attachments.length === 0) return [];
  const late = new AbortController();
  const stop = clock.after(ANSWER_MS, () => late.abort());
  try {
    return await resolveFiles(accountId, attachments, late.signal);
  } finally {
    stop();
  }
}
