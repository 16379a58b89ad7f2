import type { HttpFault, HttpFuzzReport } from './http-fuzz.ts';

/** A way in which uWebSockets.js answers otherwise than RFC 9112 asks, and why no proxy is fooled by it. */
interface Difference {
  readonly name: string;
  covers(fault: HttpFault): boolean;
}

/** An answer that serves nothing. */
const REFUSAL = /^(?:400|408|413|414|426|431|501|505)$/;

const TOO_OFTEN: readonly Difference[] = [
  { name: 'a GET with an empty length', covers: ({ sent }) => isGetOfEmptyLength(sent.join('')) },
  {
    name: 'the rest is refused, and the connection closed',
    covers: ({ fault }) => / \+ (?:400|505), closed for \d+ requests$/.test(fault),
  },
];

const WHEN_CUT: readonly Difference[] = [
  {
    name: 'one of the two is refused, the other served',
    covers: ({ fault }) => {
      const [cut = [], whole = []] = fault.split('; in one piece ').map(servedIn);
      return isPrefix(cut, whole) || isPrefix(whole, cut);
    },
  },
];

/** How many faults each known difference covers, and those that none covers. Node's server has no known ones. */
export function uwsDifferences({ faults, cutFaults }: Pick<HttpFuzzReport, 'faults' | 'cutFaults'>): {
  readonly known: ReadonlyMap<string, number>;
  readonly unknown: readonly HttpFault[];
} {
  const known = new Map<string, number>();
  const unknown: HttpFault[] = [];
  const sort = (fault: HttpFault, differences: readonly Difference[]): void => {
    const difference = differences.find(({ covers }) => covers(fault));
    if (difference === undefined) unknown.push(fault);
    else known.set(difference.name, (known.get(difference.name) ?? 0) + 1);
  };
  for (const fault of faults) sort(fault, TOO_OFTEN);
  for (const fault of cutFaults) sort(fault, WHEN_CUT);
  return { known, unknown };
}

function isGetOfEmptyLength(text: string): boolean {
  return text.startsWith('GET ') && /\r\ncontent-length:[ \t]*\r\n/i.test(text);
}

/** The statuses of what was served: all but refusals. */
function servedIn(outcome: string): string[] {
  return outcome
    .replace(/, (?:waits|closed)$/, '')
    .split(' + ')
    .filter((status) => status !== 'nothing' && !REFUSAL.test(status));
}

function isPrefix(some: readonly string[], all: readonly string[]): boolean {
  return some.every((status, at) => status === all[at]);
}
