import { readFileSync } from 'node:fs';

interface ConfigFile {
  /** Values by key, as text like environment variables. */
  readonly texts: Readonly<Record<string, string>>;
  readonly mistakes: readonly string[];
}

/** Reads the optional `gateway.json`: one object with variable names as keys. */
export function readConfigFile(path: string): ConfigFile {
  try {
    return textsOf(JSON.parse(readFileSync(path, 'utf8')), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { texts: {}, mistakes: [] };
    return { texts: {}, mistakes: [`${path}: ${(error as Error).message}`] };
  }
}

function textsOf(content: unknown, path: string): ConfigFile {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { texts: {}, mistakes: [`${path}: must be one JSON object`] };
  }
  const texts: Record<string, string> = {};
  const mistakes: string[] = [];
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string' || typeof value === 'number') texts[name] = String(value);
    else if (value !== null) mistakes.push(`${name}: must be a string or a number (in ${path})`);
  }
  return { texts, mistakes };
}
