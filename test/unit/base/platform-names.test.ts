import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PLATFORMS } from '../../../src/base/platform.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Where code must work for any platform by its declaration. */
const NEUTRAL = '{accounts,agents,api,assembly,authorization,calls,files,messaging,connectors/contract}';

/** Files that may name platforms, each with the reason. */
const ALLOWED: Readonly<Record<string, string>> = {
  'src/assembly/platforms.ts': 'the list of connectors',
};

/** Words that are also English, or the name of a protocol and of endpoints: only the exact literal is a platform. */
const COMMON_WORDS = new Set(['meet', 'teams', 'zoom', 'sip']);

/** A comment, a literal or an identifier. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[A-Za-z_$][\w$]*/g;

/** Returns the tokens of a source that name a platform. Comments and texts for people may name any. */
function namesIn(source: string): string[] {
  return (source.match(TOKEN) ?? []).filter((token) => {
    if (token.startsWith('//') || token.startsWith('/*')) return false;
    const isLiteral = /^['"`]/.test(token);
    const text = isLiteral ? token.slice(1, -1) : token;
    if (isLiteral && /\s/.test(text)) return false;
    return PLATFORMS.some((platform) =>
      COMMON_WORDS.has(platform) ? isLiteral && text === platform : text.toLowerCase().includes(platform),
    );
  });
}

test('a platform is found in literals and identifiers, and not in comments and texts', () => {
  const source = `
    // telegram
    /** Telegram's files. */
    const whatsAppUrl = 'discord'; call("/api/slack/x", \`nctalk\`, 'sip', 'sip_number', 'Write to Telegram now');
    const meeting = 'meet';`;
  expect(namesIn(source)).toEqual([
    'whatsAppUrl',
    "'discord'",
    '"/api/slack/x"',
    '`nctalk`',
    "'sip'",
    "'meet'",
  ]);
});

test('domains, API and assembly name no platform outside the list of connectors', () => {
  const files = globSync(`src/${NEUTRAL}/**/*.ts`, { cwd: ROOT });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) => {
    const names = namesIn(readFileSync(join(ROOT, file), 'utf8'));
    return names.length > 0 ? [[file, ...new Set(names)]] : [];
  });
  expect(found.filter(([file]) => ALLOWED[file!] === undefined)).toEqual([]);
  expect(found.map(([file]) => file).sort()).toEqual(Object.keys(ALLOWED).sort());
});
