import type { SipRequest } from './sip-message.ts';

/** One demand of RFC 3261 on every request: null, or how it was broken. */
type SipRule = (request: SipRequest) => string | null;

/** What a strict peer looks for in each request. */
export const SIP_RULES: readonly SipRule[] = [
  ({ headers }) => (headers['max-forwards'] === undefined ? 'no Max-Forwards (8.1.1.6)' : null),
  ({ headers }) => (headers.from.params.tag ? null : 'no From tag (8.1.1.3)'),
  ({ headers, method }) =>
    headers.cseq.method === method ? null : `CSeq names ${headers.cseq.method} (8.1.1.5)`,
  ({ headers }) =>
    headers.via[0]?.params.branch?.startsWith('z9hG4bK') ? null : 'no magic cookie in the branch (8.1.1.7)',
  ({ headers, method }) =>
    method === 'REGISTER' && headers.contact === undefined ? 'no Contact in REGISTER (10.2)' : null,
  ({ headers, method }) =>
    method === 'INVITE' && headers.contact === undefined ? 'no Contact in INVITE (8.1.1.8)' : null,
  ({ headers, method }) =>
    method === 'REGISTER' && headers.to.params.tag ? 'a To tag in REGISTER (10.2)' : null,
  ({ headers, method }) =>
    method === 'REGISTER' && headers.to.uri !== headers.from.uri ? 'From is not To in REGISTER (10.2)' : null,
  ({ uri, method }) =>
    method === 'REGISTER' && uri.includes('@') ? 'a user part in the Request-URI of REGISTER (10.2)' : null,
  ({ headers, content }) =>
    headers['content-length'] !== undefined && headers['content-length'] !== content.length
      ? `Content-Length ${headers['content-length']} with ${content.length} bytes (20.14)`
      : null,
];
