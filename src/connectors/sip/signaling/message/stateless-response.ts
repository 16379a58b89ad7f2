import { randomBytes } from 'node:crypto';
import { USER_AGENT } from '../core/sip-core.ts';
import { hasTag } from '../guard/message-guard.ts';
import { headerOf, headersOf, type SipMessage } from './sip-message.ts';

/** Writes a response to a request that sip.js will not handle (RFC 3261 section 8.2.6). */
export function statelessResponse(
  request: SipMessage,
  status: number,
  reason: string,
  headers: readonly string[] = [],
): string {
  const to = headerOf(request, 'to') ?? '';
  const lines = [
    `SIP/2.0 ${status} ${reason}`,
    ...headersOf(request, 'via').map((value) => `Via: ${value}`),
    `From: ${headerOf(request, 'from') ?? ''}`,
    `To: ${hasTag(request, 'to') ? to : `${to};tag=${randomBytes(6).toString('hex')}`}`,
    `Call-ID: ${headerOf(request, 'call-id') ?? ''}`,
    `CSeq: ${headerOf(request, 'cseq') ?? ''}`,
    `User-Agent: ${USER_AGENT}`,
    ...headers,
    'Content-Length: 0',
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}
