import { pastedLink } from './pasted-link.ts';
import { parsePostDial } from './post-dial.ts';
import { typedText } from './typed-text.ts';

/**
 * Whom a call goes to. `text` is what to dial: written anew from what was read, so that whoever reads it next finds nothing
 * else in it.
 */
export type CallTarget = NumberTarget | AddressTarget | PageTarget;

/** A telephone number. The keys behind it are pressed once the call is answered. */
export interface NumberTarget {
  readonly kind: 'number';
  /** In E.164, with the plus. */
  readonly number: string;
  readonly text: string;
}

/** A SIP or SIPS URI. */
export interface AddressTarget {
  readonly kind: 'address';
  readonly host: string;
  readonly text: string;
  /** The number that stands in place of a name; null: none in E.164. */
  readonly number: NumberTarget | null;
  /** Whether a telephone network could take the name for a number, in E.164 or not. */
  readonly isDialled: boolean;
}

/** A meeting that has a page on the web. */
export interface PageTarget {
  readonly kind: 'page';
  readonly host: string;
  readonly text: string;
}

/** Of a target, in UTF-16 units. */
const LONGEST = 1_024;
const TEL = /^tel:(?:\/\/)?/i;
const SIP = /^(sips?):([^@]*)@([^@]*)$/i;
/** What a number ends at: a pause, a wait or a parameter. */
const NUMBER_END = /[,;pw]/i;
const WRITTEN_NUMBER = /^\+[\d\s().-]+$/;
const LOCAL_NUMBER = /^\d{3,15}$/;
const E164 = /^[1-9]\d{1,14}$/;
/** A name that RFC 3261 allows as it is, and nothing behind which parameters or a password could stand. */
const NAME = /^[\w.!~*'()&=+$/-]+$/;
const DIALLED = /^[\d+*().-]+$/;
const PLACE = /^([^:;]+|\[[^\]]*\])(:\d{1,5})?(;transport=(?:udp|tcp|tls))?$/i;
const HOST = /^(?:[a-z\d_.-]+|\[[\da-f:.]+\])$/i;

/**
 * Reads whom a call goes to, from a number, a SIP URI or a link. Null: it is none of these, or has parts that could lead
 * elsewhere, such as the parameters of a number (RFC 3966, RFC 4694) or the headers of a URI.
 */
export function readCallTarget(text: string): CallTarget | null {
  if (text.length > LONGEST) return null;
  const link = pastedLink(text);
  return readNumber(link) ?? readAddress(link) ?? readPage(link);
}

/** Returns what to dial for a target that is just whom `own` names, a caller or somebody called; null when it is another. */
export function dialSame(own: string, text: string): string | null {
  const [one, other] = [readCallTarget(own), readCallTarget(text)];
  if (one === null || other === null) return isSameLocal(own, text) ? `tel:${own}` : null;
  const [number, otherNumber] = [numberIn(one), numberIn(other)];
  if (number === null || otherNumber === null) return one.text === other.text ? other.text : null;
  return number.number === otherNumber.number ? otherNumber.text : null;
}

/** Trunks tell many callers without the plus. */
function isSameLocal(own: string, text: string): boolean {
  return LOCAL_NUMBER.test(own) && typedText(text).replace(TEL, '') === own;
}

function numberIn(target: CallTarget): NumberTarget | null {
  if (target.kind === 'page') return null;
  return target.kind === 'number' ? target : target.number;
}

/** Returns a host name or an IP address as hosts are compared; null when it is neither. */
export function readHost(text: string): string | null {
  if (!HOST.test(text)) return null;
  return URL.parse(`https://${text}`)?.hostname.replace(/\.$/, '') || null;
}

function readNumber(text: string): NumberTarget | null {
  const plain = typedText(decoded(text)).replace(TEL, '');
  const end = plain.search(NUMBER_END);
  const written = end < 0 ? plain : plain.slice(0, end);
  const keys = plain.slice(written.length);
  const digits = written.replace(/\D/g, '');
  if (!WRITTEN_NUMBER.test(written) || !E164.test(digits) || !areKeys(keys)) return null;
  return { kind: 'number', number: `+${digits}`, text: `+${digits}${keys}` };
}

function areKeys(text: string): boolean {
  if (text === '') return true;
  try {
    return parsePostDial(text).length > 0;
  } catch {
    return false;
  }
}

function readAddress(text: string): AddressTarget | null {
  const [, scheme = '', user = '', place = ''] = SIP.exec(text) ?? [];
  const [, hostText = '', port = '', transport = ''] = PLACE.exec(place) ?? [];
  const host = readHost(hostText);
  if (host === null) return null;
  const name = decoded(user);
  const number = readNumber(name);
  if (number === null && !NAME.test(name)) return null;
  const written = `${scheme}:${number?.text ?? name}@${host}${port}${transport.toLowerCase()}`;
  const uri = written.replace(scheme, scheme.toLowerCase());
  return { kind: 'address', host, text: uri, number, isDialled: number !== null || DIALLED.test(name) };
}

function readPage(text: string): PageTarget | null {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return null;
  const host = readHost(url.hostname);
  // As the browser writes it, it may turn out to lead on.
  if (host === null || pastedLink(url.href) !== url.href) return null;
  return { kind: 'page', host, text: url.href };
}

/** Invitations escape the plus, commas and number signs. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
