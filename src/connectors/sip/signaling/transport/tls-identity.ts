import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/** A SIP URI without a user in the list of a certificate's alternative names. */
const SIP_DOMAIN = /(?:^|, )URI:sip:([a-z0-9.-]+)(?=,|$)/gi;

/**
 * Checks that a certificate belongs to a SIP domain (RFC 5922 section 7.1): if it names SIP domains, it belongs to those and
 * to no others, else to its DNS names. Unlike section 7.2, wildcards count, since a SIP domain below a company's own is
 * often served with the company's certificate.
 */
export function checkSipIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = certificate.subjectaltname ?? '';
  const domains =
    isIP(host) === 0 ? [...names.matchAll(SIP_DOMAIN)].map(([, domain]) => domain!.toLowerCase()) : [];
  if (domains.length === 0) return checkServerIdentity(host, certificate);
  if (domains.includes(host.toLowerCase())) return undefined;
  return new Error(`the certificate is for ${domains.join(', ')}, not for ${host}`);
}
