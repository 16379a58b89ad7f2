import * as z from 'zod';
import {
  CertificateFile,
  CodecList,
  HostList,
  IpAddress,
  MAX_PORT,
  PrivateKeyFile,
  ProxyList,
  TrunkBindings,
  wholeNumber,
} from './values.ts';

/** Settings of SIP, RTP and calls. */
export const CALL_VARIABLES = {
  SVC_SIP_HOST: {
    // Trunks call from outside and could not reach loopback. Unknown peers get no answer anyway.
    default: '0.0.0.0',
    schema: IpAddress,
    meaning: 'Address that SIP and RTP listen on; only configured trunks get an answer',
  },
  SVC_SIP_PORT: {
    default: '5060',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'SIP port, UDP and TCP. Unset: 5060, or the next free port if it is taken; 0 picks a free one',
  },
  SVC_SIP_ADVERTISED_HOST: {
    default: null,
    shownDefault: 'the address that faces the trunk',
    schema: IpAddress,
    meaning: 'Public address for SIP and SDP when the gateway is behind NAT',
  },
  SVC_SIP_TLS_CA_FILE: {
    default: null,
    schema: CertificateFile,
    meaning: 'CA certificates (PEM) to trust for TLS to SIP servers, besides the public ones',
  },
  SVC_SIP_TLS_CERT_FILE: {
    default: null,
    schema: CertificateFile,
    meaning: 'Certificate chain (PEM) for trunks that call in over TLS; without it, nothing listens for TLS',
  },
  SVC_SIP_TLS_KEY_FILE: {
    default: null,
    schema: PrivateKeyFile,
    meaning: 'Private key (PEM) of that certificate',
  },
  SVC_SIP_TLS_PORT: {
    default: '5061',
    schema: wholeNumber(0, MAX_PORT),
    meaning: 'SIP port for TLS, if there is a certificate; 0 picks a free one',
  },
  SVC_SIP_NUMBERS_PER_ACCOUNT: {
    default: '1000',
    schema: wholeNumber(1, 100_000),
    meaning: 'Phone numbers per account; more answer 409',
  },
  SVC_SIP_TRUNK_ALLOW: {
    default: null,
    schema: ProxyList,
    meaning:
      'Comma-separated non-public addresses or subnets that the trunks of all accounts, and calls without a trunk, may use; link-local and metadata addresses stay blocked',
  },
  SVC_SIP_TRUNK_BINDINGS: {
    default: null,
    schema: TrunkBindings,
    meaning:
      'Assigns calls from an address to an account, for providers that cannot call the secret URI: comma-separated `account=address` or `account=subnet`, where the account is an `account_id` or `operator`',
  },
  SVC_SIP_DIRECT_HOSTS: {
    default: 'zoomcrc.com',
    schema: HostList,
    meaning:
      'Comma-separated names of hosts that accounts may call without a trunk, such as those of conference rooms; each stands for the names below it, too. `off`: none',
  },
  SVC_SIP_CODECS: {
    default: 'PCMU,PCMA',
    schema: CodecList,
    meaning:
      "Codecs of SIP calls (opus, G722, PCMU, PCMA), in the order of our offers; for inbound calls the caller's order counts",
  },
  SVC_RTP_PORT_MIN: {
    default: '20000',
    schema: wholeNumber(1_024, MAX_PORT),
    meaning: 'First UDP port for RTP; a call uses two',
  },
  SVC_RTP_PORT_MAX: {
    default: '29999',
    schema: wholeNumber(1_024, MAX_PORT),
    meaning:
      'Last UDP port for RTP. There is room for as many calls, on all platforms, as the range has pairs; one account has half of it, two a third each, and so on. More answer 503',
  },
  SVC_MEDIA_TIMEOUT_S: {
    default: '45',
    schema: wholeNumber(5, 3_600),
    meaning: 'Seconds without a packet from the far end before a call is ended; does not apply on hold',
  },
  SVC_MAX_CALLS_PER_ACCOUNT: {
    default: '500',
    schema: wholeNumber(1, 100_000),
    meaning: 'Concurrent calls per account; more answer 429',
  },
  SVC_MAX_CALLS: {
    default: '0',
    schema: wholeNumber(0, 100_000),
    meaning: 'Concurrent calls of all accounts; more answer 503. 0: as many as there is room for',
  },
  SVC_ADMISSION: {
    default: 'load',
    schema: z.enum(['load', 'off']),
    meaning:
      'Whether calls are admitted by the load of this machine: `load` refuses those that it cannot carry with 503, `off` takes them all',
  },
  SVC_MAX_CALL_MINUTES: {
    default: '240',
    schema: wholeNumber(1, 10_080),
    meaning: 'Maximum length of a call in minutes; then the gateway hangs up',
  },
} as const;
