import { GatewayError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time.ts';
import { TimeLimit } from '../../../base/time-limit.ts';
import { USER_AGENT } from '../rest/http-request.ts';
import type { TeamsApi } from '../rest/teams-api.ts';
import { failureOf } from '../rest/teams-failure.ts';
import type { FileHosts } from './inbound-files.ts';

/** Deadline for the answer's first byte. The rest is limited only by the caller's signal. */
const DEADLINE_MS = 20_000;
/** An address that has expired is refused. */
const GONE: ReadonlySet<number> = new Set([401, 403, 404, 410]);

export interface DownloadDeps {
  readonly api: TeamsApi;
  readonly hosts: FileHosts;
  readonly clock: Clock;
}

/** Opens the bytes of a received file. Rejects with GatewayError `file_gone` or `platform_failed`. */
export async function downloadFile(
  { api, hosts, clock }: DownloadDeps,
  href: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  // The setting may have changed since the file was received.
  const isService = hosts.services.allows(href) && new URL(href).pathname.includes('/v3/attachments/');
  if (!isService && !hosts.drives.allows(href)) throw new GatewayError('file_gone');
  const limit = new TimeLimit(clock, DEADLINE_MS, { outer: signal });
  try {
    const token = isService ? await api.fileToken(href) : null;
    const headers = {
      'user-agent': USER_AGENT,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(href, { headers, redirect: 'error', signal: limit.signal });
    if (!answer.ok || answer.body === null) throw await refusal(answer);
    limit.lift();
    return closing(answer.body, limit);
  } catch (error) {
    limit.close();
    throw error instanceof GatewayError
      ? error
      : new GatewayError('platform_failed', failureOf(error).message);
  }
}

async function refusal(answer: Response): Promise<GatewayError> {
  await answer.body?.cancel();
  if (GONE.has(answer.status)) return new GatewayError('file_gone');
  return new GatewayError('platform_failed', `Teams answered with HTTP status ${answer.status}`);
}

async function* closing(body: AsyncIterable<Uint8Array>, limit: TimeLimit): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    limit.close();
  }
}
