import type { SipFlow } from '../../support/sip-flows.ts';
import type { SipRequest } from '../../support/sip-message.ts';
import { SIP_RULES } from '../../support/sip-rules.ts';

/** One demand on every request: null, or how it was broken. */
type CrcRule = (
  request: SipRequest,
  protocol: SipFlow['protocol'],
  names: readonly string[],
) => string | null;

/** What a room system's INVITE must be like. */
const INVITE_RULES: readonly CrcRule[] = [
  ({ uri }, _protocol, names) => {
    const host = /@([^;:?]+)/.exec(uri)?.[1] ?? '';
    return names.includes(host) ? null : `${host} is none of our names`;
  },
  ({ uri }) => (/[;?](?!transport=(?:udp|tcp|tls)$)/.test(uri) ? `more than a transport in ${uri}` : null),
  ({ uri }, protocol) =>
    uri.startsWith('sips:') && protocol !== 'TLS' ? `sips over ${protocol} (26.2.2)` : null,
  ({ uri, headers }) => (headers.to.uri === uri ? null : 'To is not the Request-URI (8.1.1.2)'),
  ({ uri, headers: { contact } }, protocol) => {
    const ours = contact === '*' ? undefined : contact?.[0]?.uri;
    if (ours === undefined) return null;
    if (uri.startsWith('sips:'))
      return ours.startsWith('sips:') ? null : 'a sip Contact for a sips URI (8.1.1.8)';
    const transport = /;transport=(\w+)/.exec(ours)?.[1]?.toUpperCase() ?? 'UDP';
    return transport === protocol ? null : `a Contact over ${transport} in a request over ${protocol}`;
  },
  ({ headers }) => (headers.from.name ? null : 'no display name'),
  ({ headers }) => (headers['content-type'] === 'application/sdp' ? null : 'no offer'),
  ({ content }) => (/^m=audio [1-9]/m.test(content) ? null : 'no audio'),
  ({ content }) => (/^m=video [1-9]/m.test(content) ? 'video' : null),
];

/** Of every request. */
const RULES: readonly CrcRule[] = [
  ...SIP_RULES,
  ({ headers }, protocol) =>
    headers.via[0]?.protocol === protocol
      ? null
      : `${headers.via[0]?.protocol} in Via over ${protocol} (18.1.1)`,
  ({ headers }) =>
    headers.authorization === undefined && headers['proxy-authorization'] === undefined
      ? null
      : 'credentials that nobody asked for',
];

/** Returns how a request breaks the rules. */
export function violationsOf(
  request: SipRequest,
  protocol: SipFlow['protocol'],
  names: readonly string[],
): string[] {
  const rules = request.method === 'INVITE' ? [...RULES, ...INVITE_RULES] : RULES;
  return rules.flatMap((rule) => {
    const broken = rule(request, protocol, names);
    return broken === null ? [] : [`${request.method}: ${broken}`];
  });
}
