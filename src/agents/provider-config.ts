import type { ModelProvider, ProviderField } from '../models/model-provider.ts';

type Texts = Readonly<Record<string, string>>;

/** A provider's stored fields: only those that were given. */
export interface ProviderConfig {
  readonly config: Texts;
  readonly secrets: Texts;
}

/** Fields to set. Blank or null removes a field, except that a blank secret keeps the stored one. */
export type ConfigChange = Readonly<Record<string, string | null>>;

/** The problem with a field. `known`: the provider's fields. `words`: why the value cannot be used. */
export type ConfigFault =
  | { readonly field: string; readonly problem: 'missing' | 'not_url' | 'invalid' }
  | { readonly field: string; readonly problem: 'unknown'; readonly known: readonly string[] }
  | { readonly field: string; readonly problem: 'unusable'; readonly words: string };

export type MergedConfig = ProviderConfig | { readonly faults: readonly ConfigFault[] };

/** Key files of Google have 2,400 characters, session tokens of AWS up to 2,000. */
const MAX_TEXT_LENGTH = 4_096;
const CONTROL = /\p{Cc}/u;
const CONTROL_IN_LINE = /[^\P{Cc}\t\n\r]/u;

/**
 * Applies a change to the stored fields. Returns the result, or all faults of the change. Secrets belong to one URL: a
 * change of a url field discards the stored ones, so that nobody can send a stored key elsewhere without knowing it.
 */
export function mergeConfig(kind: ModelProvider, stored: ProviderConfig, change: ConfigChange): MergedConfig {
  const merged = mergedFields(kind, stored, change);
  const given = { ...merged.config, ...merged.secrets };
  const faults = [...changeFaults(kind, change), ...missingFaults(kind, given), ...choiceFaults(kind, given)];
  return faults.length > 0 ? { faults } : merged;
}

/** Like `mergeConfig`, for somebody who is about to choose a model or an agent. */
export function mergeForBrowsing(
  kind: ModelProvider,
  stored: ProviderConfig,
  change: ConfigChange,
): MergedConfig {
  const merged = mergedFields(kind, stored, change);
  const given = { ...merged.config, ...merged.secrets };
  const faults = [...changeFaults(kind, change), ...missingFaults(kind, given)];
  return faults.length > 0 ? { faults } : merged;
}

function mergedFields(kind: ModelProvider, stored: ProviderConfig, change: ConfigChange): ProviderConfig {
  const config = mergedTexts(kind, stored.config, change);
  const isMoved = kind.fields.some(
    (field) => field.kind === 'url' && effective(field, stored.config) !== effective(field, config),
  );
  return { config, secrets: mergedSecrets(kind, isMoved ? {} : stored.secrets, change) };
}

/** Returns the non-secret fields, with defaults filled in. */
export function shownConfig(kind: ModelProvider, stored: Texts): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const field of kind.fields) {
    const text = field.kind === 'secret' ? undefined : effective(field, stored);
    if (text !== undefined) shown[field.name] = text;
  }
  return shown;
}

function effective(field: ProviderField, texts: Texts): string | undefined {
  return texts[field.name] ?? field.default;
}

function mergedTexts(kind: ModelProvider, stored: Texts, change: ConfigChange): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const field of kind.fields) {
    if (field.kind === 'secret') continue;
    const text = change[field.name] === undefined ? stored[field.name] : change[field.name]?.trim();
    if (text) merged[field.name] = text;
  }
  return merged;
}

function mergedSecrets(kind: ModelProvider, stored: Texts, change: ConfigChange): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const field of kind.fields) {
    if (field.kind !== 'secret' || change[field.name] === null) continue;
    const secret = change[field.name]?.trim() || stored[field.name];
    if (secret) merged[field.name] = secret;
  }
  return merged;
}

function changeFaults(kind: ModelProvider, change: ConfigChange): ConfigFault[] {
  return Object.entries(change).flatMap(([name, text]): ConfigFault[] => {
    const field = kind.fields.find((one) => one.name === name);
    if (!field) return [{ field: name, problem: 'unknown', known: kind.fields.map((one) => one.name) }];
    const problem = text === null || text.trim() === '' ? null : problemOf(field, text.trim());
    return problem === null ? [] : [{ field: name, problem }];
  });
}

function problemOf(field: ProviderField, text: string): 'not_url' | 'invalid' | null {
  const control = field.isDocument ? CONTROL_IN_LINE : CONTROL;
  if (text.length > MAX_TEXT_LENGTH || control.test(text)) return 'invalid';
  return field.kind === 'url' && !isHttpUrl(text) ? 'not_url' : null;
}

/**
 * The faults of the URLs in a change that can never be called: of another API, or at an address that `mayConnect`
 * excludes.
 */
export async function uselessUrls(
  kind: ModelProvider,
  change: ConfigChange,
  mayConnect: (url: URL) => Promise<boolean>,
): Promise<ConfigFault[]> {
  const faults: ConfigFault[] = [];
  for (const { name, wrongUrl, kind: type } of kind.fields) {
    const text = change[name]?.trim() ?? '';
    if (type !== 'url' || !isHttpUrl(text)) continue;
    const url = new URL(text);
    const words = wrongUrl?.(url) ?? ((await mayConnect(url)) ? null : CLOSED);
    if (words !== null) faults.push({ field: name, problem: 'unusable', words });
  }
  return faults;
}

const CLOSED =
  'The gateway connects to public addresses only; its operator can allow others (SVC_MODELS_ALLOW)';

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:');
}

function missingFaults(kind: ModelProvider, given: Texts): ConfigFault[] {
  const missing = kind.fields.filter((field) => field.isRequired && given[field.name] === undefined);
  return missing.map(({ name }) => ({ field: name, problem: 'missing' }));
}

function choiceFaults({ anyOf = [] }: ModelProvider, given: Texts): ConfigFault[] {
  const [first] = anyOf;
  if (first === undefined || anyOf.some((name) => given[name] !== undefined)) return [];
  return [{ field: first, problem: 'missing' }];
}
