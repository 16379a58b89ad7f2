import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/settings/settings.ts';

function codecsOf(text?: string) {
  const loaded = loadSettings(text === undefined ? {} : { SVC_SIP_CODECS: text }, '/nonexistent');
  return 'mistakes' in loaded ? loaded.mistakes : loaded.settings.sip.codecs;
}

test.each([
  [undefined, ['PCMU', 'PCMA']],
  // An empty text counts as unset, as for every variable.
  ['', ['PCMU', 'PCMA']],
  ['opus', ['opus']],
  ['PCMA,opus', ['PCMA', 'opus']],
  [' Opus , pcmu,PCMA', ['opus', 'PCMU', 'PCMA']],
  ['g722,PCMU', ['G722', 'PCMU']],
])('codecs of %j keep their order', (text, codecs) => {
  expect(codecsOf(text)).toEqual(codecs);
});

const UNKNOWN = 'must be a comma-separated list of opus, G722, PCMU, PCMA';

test.each([
  ['G729', UNKNOWN],
  ['opus,G7221', UNKNOWN],
  ['opus PCMU', UNKNOWN],
  [' ', UNKNOWN],
  [',', UNKNOWN],
  ['PCMU,,PCMA', UNKNOWN],
  ['opus,', UNKNOWN],
  ['PCMU,opus,pcmu', 'must not repeat a codec'],
])('codecs of %j are reported as one mistake', (text, message) => {
  expect(codecsOf(text)).toEqual([`SVC_SIP_CODECS: ${message} (it is "${text}")`]);
});
