import type { OutgoingRequestMessage } from 'sip.js/lib/core/index.js';
import { type Dialog, type IncomingResponseMessage, UserAgentClient } from 'sip.js/lib/core/index.js';
import type { Challenge, DigestCredentials } from '../digest/digest-credentials.ts';

/**
 * sip.js answers a request's first challenge only, and one realm. Proxies on the way challenge one after another, or several
 * at a time (RFC 3261 sections 16.7 and 22.3).
 */

const HEADERS = ['Authorization', 'Proxy-Authorization'] as const;

/** The parts of a sip.js client that are private there. */
interface Client {
  readonly core: { readonly configuration: { readonly authenticationFactory: () => unknown } };
  readonly message: OutgoingRequestMessage;
  credentials?: DigestCredentials | undefined;
  readonly earlyDialogs?: Map<string, { dispose(): void }>;
  init(): void;
}

/** Makes sip.js answer all challenges that `core-message` shows it. */
export function answerAllChallenges(): void {
  Object.assign(UserAgentClient.prototype, { authenticationGuard });
}

/** Repeats the request with credentials. Returns true when the response is to be passed on instead. */
function authenticationGuard(this: Client, response: IncomingResponseMessage, dialog?: Dialog): boolean {
  if (response.statusCode !== 401 && response.statusCode !== 407) return true;
  const challenges = challengesIn(response);
  this.credentials ??= this.core.configuration.authenticationFactory() as DigestCredentials | undefined;
  if (challenges.length === 0 || this.credentials?.accept(challenges) !== true) return true;
  const { message } = this;
  message.cseq += 1;
  if (dialog?.localSequenceNumber) {
    dialog.incrementLocalSequenceNumber();
    message.cseq = dialog.localSequenceNumber;
  }
  message.setHeader('cseq', `${message.cseq} ${message.method}`);
  const request = { method: message.method, uri: message.ruri.toRaw() };
  for (const [name, values] of this.credentials.headersFor(request)) setHeaders(message, name, values);
  // The provisional answers before it are over (RFC 3261 section 12.3).
  for (const early of this.earlyDialogs?.values() ?? []) early.dispose();
  this.earlyDialogs?.clear();
  this.init();
  return false;
}

/** `core-message` puts them there in parsed form. */
function challengesIn(response: IncomingResponseMessage): readonly Challenge[] {
  return (response.parseHeader('www-authenticate') as readonly Challenge[] | undefined) ?? [];
}

/** sip.js takes several values though its types say otherwise. */
function setHeaders(message: OutgoingRequestMessage, name: string, values: readonly string[]): void {
  message.setHeader(name, values as unknown as string);
}

/** Returns the credentials of a request as header lines. */
export function credentialLines(message: OutgoingRequestMessage): string[] {
  return HEADERS.flatMap((name) => (message.headers[name] ?? []).map((value) => `${name}: ${value}`));
}
