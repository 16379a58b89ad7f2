import type { Recognized } from './recognizer.ts';

const NOTHING_KNOWN = {
  startMs: null,
  endMs: null,
  confidence: null,
  language: null,
  speaker: null,
} as const;

/** Returns a result of which the vendor tells only some things. */
export function resultOf(text: string, known: Partial<Recognized> = {}): Recognized {
  return { ...NOTHING_KNOWN, ...known, text };
}

/** Returns the value that occurs most often; the first one of several; null if there is none. */
export function majority(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0] ?? null;
}

/** Returns null if there are no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
