import {
  type AddressTarget,
  type CallTarget,
  type NumberTarget,
  readCallTarget,
  readHost,
} from './call-target.ts';
import { match } from './match.ts';

/** Whom calls may go to. */
type CallPattern =
  /** `*` */
  | { readonly kind: 'any'; readonly text: string }
  /** `+4420*`: all numbers that begin like this. */
  | { readonly kind: 'prefix'; readonly text: string; readonly prefix: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string }
  /** All meetings and names there, and at the hosts below it. */
  | { readonly kind: 'host'; readonly text: string };

const ANY = '*';
const PREFIX = /^\+([\d\s().-]*)\*$/;
const LONGEST_PREFIX = 15;

/** Returns a pattern as it is kept; null when it is none. Its `text` reads as the same pattern. */
export function parseCallPattern(text: string): CallPattern | null {
  const given = text.trim();
  if (given === ANY) return { kind: 'any', text: ANY };
  const prefix = PREFIX.exec(given)?.[1]?.replace(/\D/g, '');
  if (prefix !== undefined) return prefixPattern(prefix);
  const host = given.includes('.') || given === 'localhost' ? readHost(given) : null;
  if (host !== null) return { kind: 'host', text: host };
  const target = readCallTarget(given);
  if (target?.kind === 'number' && target.text === target.number)
    return { kind: 'number', text: target.number };
  // A star would look like a pattern.
  return target?.kind === 'address' && !target.text.includes(ANY)
    ? { kind: 'address', text: target.text }
    : null;
}

function prefixPattern(digits: string): CallPattern | null {
  if (digits.length > LONGEST_PREFIX || digits.startsWith('0')) return null;
  return { kind: 'prefix', text: `+${digits}*`, prefix: `+${digits}` };
}

/**
 * Returns what to dial for a target; null when no pattern has it. A number in a SIP URI is dialled as that number, wherever
 * the URI says that it is, unless the whole URI is listed. A host does not open the numbers at it: trunks call them.
 */
export function dialable(patterns: readonly string[], text: string): string | null {
  if (patterns.includes(ANY)) return text;
  const target = readCallTarget(text);
  if (target === null) return null;
  const parsed = patterns.flatMap((pattern) => parseCallPattern(pattern) ?? []);
  return dialText(parsed, target);
}

function dialText(patterns: readonly CallPattern[], target: CallTarget): string | null {
  return match(target, 'kind', {
    number: (target) => dialNumber(patterns, target),
    address: (target) => dialAddress(patterns, target),
    page: (target) => (hasHost(patterns, target.host) ? target.text : null),
  });
}

function dialNumber(patterns: readonly CallPattern[], { number, text }: NumberTarget): string | null {
  const isListed = patterns.some((pattern) =>
    pattern.kind === 'prefix'
      ? number.startsWith(pattern.prefix)
      : pattern.kind === 'number' && pattern.text === number,
  );
  return isListed ? text : null;
}

function dialAddress(patterns: readonly CallPattern[], target: AddressTarget): string | null {
  const { text, host, number, isDialled } = target;
  if (patterns.some((pattern) => pattern.kind === 'address' && pattern.text === text)) return text;
  if (number !== null) return dialNumber(patterns, number);
  return !isDialled && hasHost(patterns, host) ? text : null;
}

function hasHost(patterns: readonly CallPattern[], host: string): boolean {
  return patterns.some(
    (pattern) => pattern.kind === 'host' && (host === pattern.text || host.endsWith(`.${pattern.text}`)),
  );
}
