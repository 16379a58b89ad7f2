import { typedText } from './typed-text.ts';

/** One step after the answer of a call. */
export type PostDialStep =
  /** Keys to press: 0-9, *, # and A-D. */
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'pause'; readonly pauseMs: number }
  /** Until the far end has finished speaking, but at most POST_DIAL_WAIT_MS. */
  | { readonly type: 'wait' };

/** As telephones count a comma. */
const PAUSE_MS = 2_000;
/** Telephones let a person decide when a wait is over. Nobody can here, so it ends by itself. */
export const POST_DIAL_WAIT_MS = 10_000;
/** As many digits as can be queued at once on a call. */
const MAX_KEYS = 64;
/** Of all pauses and waits together. */
const MAX_PAUSE_MS = 60_000;

/** What a character stands for; null: it only separates. */
const STEPS: ReadonlyMap<string, PostDialStep | null> = new Map([
  ...each('0123456789*#ABCDabcd', (key) => ({ type: 'keys', keys: key.toUpperCase() })),
  ...each(',pP', () => ({ type: 'pause', pauseMs: PAUSE_MS })),
  ...each(';wW', () => ({ type: 'wait' })),
  ...each(' -.()', () => null),
]);

function each(characters: string, step: (character: string) => PostDialStep | null) {
  return [...characters].map((character) => [character, step(character)] as const);
}

/** Text that is no sequence of keys and pauses. The message says why, and where. */
export class PostDialFault extends Error {}

/**
 * Reads what follows the number in a dial string, such as `,,81234567890#,,,,*123456#`: keys, pauses of 2 s (`,`, or `p` as
 * in RFC 3601) and waits (`;`, or `w` as in RFC 3601), with spaces, hyphens, dots and parentheses between them as people
 * write them. Waits in a row are one. Throws a PostDialFault.
 */
export function parsePostDial(text: string): PostDialStep[] {
  const steps: PostDialStep[] = [];
  let position = 0;
  for (const character of typedText(text)) {
    position++;
    const step = STEPS.get(character);
    if (step === undefined) throw new PostDialFault(unknownText(character, position));
    if (step !== null) append(steps, step);
  }
  checkBounds(steps);
  return steps;
}

function append(steps: PostDialStep[], step: PostDialStep): void {
  const last = steps.at(-1);
  if (last?.type === 'keys' && step.type === 'keys')
    steps[steps.length - 1] = { type: 'keys', keys: last.keys + step.keys };
  else if (last?.type === 'pause' && step.type === 'pause')
    steps[steps.length - 1] = { type: 'pause', pauseMs: last.pauseMs + step.pauseMs };
  else if (last?.type !== 'wait' || step.type !== 'wait') steps.push(step);
}

function checkBounds(steps: readonly PostDialStep[]): void {
  let keys = 0;
  let pauseMs = 0;
  for (const step of steps) {
    if (step.type === 'keys') keys += step.keys.length;
    else pauseMs += step.type === 'pause' ? step.pauseMs : POST_DIAL_WAIT_MS;
  }
  if (keys === 0) throw new PostDialFault('there is no key to press');
  if (keys > MAX_KEYS) throw new PostDialFault(`there are ${keys} keys to press; the maximum is ${MAX_KEYS}`);
  if (pauseMs > MAX_PAUSE_MS) {
    const [longS, mostS] = [pauseMs / 1000, MAX_PAUSE_MS / 1000];
    throw new PostDialFault(
      `the pauses take ${longS} s, with ${POST_DIAL_WAIT_MS / 1000} s for each wait; the maximum is ${mostS} s`,
    );
  }
}

function unknownText(character: string, position: number): string {
  return `${JSON.stringify(character)} at character ${position} is neither a key (0-9, *, #, A-D) nor a pause (, or p) nor a wait (; or w)`;
}
