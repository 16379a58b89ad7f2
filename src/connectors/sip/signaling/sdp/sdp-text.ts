export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

/** The session, or one media section, of SDP (RFC 4566). */
export interface SdpSection {
  /** What follows `m=`; empty for the session. */
  readonly head: string;
  /** The address in `c=`. */
  host: string | null;
  direction: Direction | null;
  /** The values of all attributes by name, in order; '' for one without a value. */
  readonly attributes: Map<string, string[]>;
}

const MAX_CHARACTERS = 32_768;
/** Far more than any peer offers. The limit matters because an answer repeats every line. */
const MAX_MEDIA = 16;
const DIRECTIONS: readonly Direction[] = ['sendrecv', 'sendonly', 'recvonly', 'inactive'];

/**
 * Reads SDP in a single pass. Unreadable lines are ignored, and of two addresses or directions the later one wins. Returns
 * null when the text is not SDP with a media line, or is longer than any call needs.
 */
export function readSdp(text: string): { session: SdpSection; media: readonly SdpSection[] } | null {
  if (text.length > MAX_CHARACTERS || !text.trimStart().startsWith('v=0')) return null;
  const session = newSection('');
  const media: SdpSection[] = [];
  for (const line of text.split(/[\r\n]+/)) {
    if (line[1] !== '=') continue;
    const value = line.slice(2);
    const section = media.at(-1) ?? session;
    if (line[0] === 'm') media.push(newSection(value));
    else if (line[0] === 'c') section.host = hostIn(value) ?? section.host;
    else if (line[0] === 'a') takeAttribute(section, value);
    if (media.length > MAX_MEDIA) return null;
  }
  return media.length === 0 ? null : { session, media };
}

function newSection(head: string): SdpSection {
  return { head, host: null, direction: null, attributes: new Map() };
}

function hostIn(value: string): string | null {
  const [network, family = '', host = ''] = value.split(' ', 3);
  return network === 'IN' && /^IP\d$/.test(family) ? host : null;
}

function takeAttribute(section: SdpSection, text: string): void {
  const colon = text.indexOf(':');
  const name = (colon < 0 ? text : text.slice(0, colon)).trim();
  const value = colon < 0 ? '' : text.slice(colon + 1);
  section.direction = DIRECTIONS.find((each) => each === name) ?? section.direction;
  const values = section.attributes.get(name);
  if (values === undefined) section.attributes.set(name, [value]);
  else values.push(value);
}

export function numberOf(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
