import { OVERLOADED_S } from '../../../../base/errors.ts';
import type { IncomingInviteRequest } from '../core/sip-core.ts';

/** Rejects an INVITE. Whoever finds the gateway full is told when to come again. */
export function reject(request: IncomingInviteRequest, statusCode: number): void {
  request.reject({ statusCode, extraHeaders: statusCode === 503 ? [`Retry-After: ${OVERLOADED_S}`] : [] });
}
