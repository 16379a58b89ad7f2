import type { Clock } from '../../../base/time.ts';
import { TimeLimit } from '../../../base/time-limit.ts';
import type { OutboundFile } from '../../contract/messenger.ts';
import { USER_AGENT } from '../rest/http-request.ts';
import { failureOf, TeamsFailure } from '../rest/teams-failure.ts';

const DEADLINE_MS = 120_000;

/**
 * Uploads a file in one piece to the session that Teams has opened for it
 * (https://learn.microsoft.com/graph/api/driveitem-createuploadsession). The address is the credential; check its host
 * first. Rejects with a TeamsFailure.
 */
export async function uploadFile(
  clock: Clock,
  { sizeBytes, open }: OutboundFile,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const limit = new TimeLimit(clock, DEADLINE_MS, { outer: signal });
  try {
    const answer = await fetch(url, {
      method: 'PUT',
      redirect: 'error',
      signal: limit.signal,
      body: ReadableStream.from(open()),
      duplex: 'half',
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': `${sizeBytes}`,
        'content-range': `bytes 0-${sizeBytes - 1}/${sizeBytes}`,
        'user-agent': USER_AGENT,
      },
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new TeamsFailure('unclear', `the upload got HTTP status ${answer.status}`);
  } catch (error) {
    throw failureOf(error);
  } finally {
    limit.close();
  }
}
