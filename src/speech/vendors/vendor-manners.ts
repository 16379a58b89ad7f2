import type { SpeechFault, SpeechFaultKind } from '../speech-fault.ts';
import { faultKindOfStatus, type Refusal, type VendorEndpoint } from '../vendor-connection.ts';
import { readMessage, type VendorMessage } from '../vendor-message.ts';

/** An error as a vendor words it. Both are '' if it is not in the vendor's format. */
export interface VendorError {
  readonly code: string;
  readonly words: string;
}

/** How a vendor is told the key, and how it tells its faults. */
export interface VendorManners {
  readonly title: string;
  /** They carry the key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** Reads the body of an HTTP answer, or a message of an error. */
  readonly errorIn: (body: VendorMessage) => VendorError;
  /** What the code of an error means, or the `<code> <reason>` of a close frame. The first that matches. */
  readonly kinds: readonly (readonly [RegExp, SpeechFaultKind])[];
  /** What HTTP status 403 means. */
  readonly forbidden: SpeechFaultKind;
  /** Whether faults are told with their code. */
  readonly tellsCode?: boolean;
  /** What else a refusal says, if its body has no error. */
  readonly otherWords?: (refusal: Refusal) => string;
}

/** Where a socket of the vendor is. */
export function endpointOf(manners: VendorManners, url: string, key: string): VendorEndpoint {
  return {
    url,
    headers: manners.headers(key),
    key,
    faultOfRefusal: (refusal) => {
      const { status, body } = refusal;
      return faultOfStatus(manners, readMessage(body) ?? {}, status, manners.otherWords?.(refusal));
    },
    faultOfClose: (code, reason) => ({
      kind: kindOf(manners, `${code} ${reason}`) ?? 'unreachable',
      words: reason || `${manners.title} closed the connection (${code})`,
    }),
  };
}

/** Reads an error that came with an HTTP status. */
export function faultOfStatus(
  manners: VendorManners,
  error: VendorMessage,
  status: number,
  otherWords = '',
): SpeechFault {
  const { kind, words } = faultOf(
    manners,
    error,
    status === 403 ? manners.forbidden : faultKindOfStatus(status),
  );
  return { kind, words: words || otherWords || `${manners.title} answered ${status}` };
}

/** Reads an error that came as a message. `otherwise`: the kind of an unknown one. */
export function faultOfMessage(
  manners: VendorManners,
  message: VendorMessage,
  otherwise: SpeechFaultKind = 'unreachable',
): SpeechFault {
  const { kind, words } = faultOf(manners, message, otherwise);
  return { kind, words: words || `${manners.title} reported an error` };
}

function faultOf(manners: VendorManners, error: VendorMessage, otherwise: SpeechFaultKind): SpeechFault {
  const { code, words } = manners.errorIn(error);
  const told = manners.tellsCode ? [code, words] : [words];
  return { kind: kindOf(manners, code) ?? otherwise, words: joined(told) };
}

function kindOf({ kinds }: VendorManners, code: string): SpeechFaultKind | undefined {
  return kinds.find(([pattern]) => pattern.test(code))?.[1];
}

/** Joins what there is. */
export function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(': ');
}
