import { describe, expect, it } from 'vitest';
import { JsonRefused, MAX_JSON_DEPTH, parseForeignJson, parseJson } from '../../../src/base/json.ts';
import { expectLinear } from '../../support/linear-time.ts';

function nested(levels: number, open = '[', close = ']'): string {
  return `${open.repeat(levels)}${close.repeat(levels)}`;
}

/** CPU milliseconds that this thread spends on some work, repeated enough for the clock's resolution. */
function cpuMs(work: () => void, times: number): number {
  work();
  const before = process.threadCpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / times;
}

function refuses(text: string): void {
  expect(() => parseJson(text)).toThrow(SyntaxError);
}

describe('JSON from clients', () => {
  it('may be nested 32 levels deep, by arrays and objects together, and no deeper', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toEqual(JSON.parse(nested(32)));
    const mixed = `${'{"a":['.repeat(16)}${']}'.repeat(16)}`;
    expect(parseJson(mixed)).toEqual(JSON.parse(mixed));
    for (const text of [nested(33), `[${mixed}]`, '['.repeat(33), '{"a":'.repeat(33)])
      expect(() => parseJson(text), text).toThrow(JsonRefused);
  });

  it('is as deep as its brackets outside strings', () => {
    for (const inside of ['[', '{', '\\"[', '\\\\', '\\\\\\"', '"', ']}'].map((text) => text.repeat(40))) {
      const text = JSON.stringify({ [inside]: [inside] });
      expect(parseJson(text)).toEqual({ [inside]: [inside] });
      expect(() => parseJson(text + nested(33)), inside).toThrow(JsonRefused);
    }
    expect(() => parseJson(`["\\\\",${nested(32)}]`)).toThrow(JsonRefused);
    expect(parseJson(`["\\"${'['.repeat(40)}"]`)).toEqual([`"${'['.repeat(40)}`]);
  });

  it('is refused as JSON.parse refuses it when it is invalid', () => {
    for (const text of ['', '[', '"', '"\\', ']]]]', '{"a":"', 'x']) {
      refuses(text);
      expect(() => parseJson(text)).not.toThrow(JsonRefused);
    }
  });

  it('is refused cheaply when it is too deep, at any length', () => {
    const text = nested(500_000);
    expect(cpuMs(() => expect(() => parseJson(text)).toThrow(JsonRefused), 200)).toBeLessThan(1);
  });

  it.each([
    ['quotes', '"'],
    ['escaped quotes', '\\"'],
    ['backslashes', '\\'],
    ['pairs of brackets', '[]'],
    ['strings', '"a"'],
    ['strings of backslashes', '"\\\\"'],
  ])('is checked in linear time: %s', (name, piece) => {
    const text = (length: number): string => `"${piece.repeat(length / piece.length)}`;
    expectLinear({ name, text }, 64 * 1024, refuses);
  });
});

describe('JSON from foreign servers', () => {
  it.each([
    ['numbers', (count: number) => `[${'1,'.repeat(count)}1]`],
    ['empty objects', (count: number) => `[${'{},'.repeat(count / 2)}{}]`],
    ['empty lists', (count: number) => `[${'[],'.repeat(count / 2)}[]]`],
    ['keys', (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":1`).join(',')}}`],
  ])('has a limited number of %s', (_what, json) => {
    expect(parseForeignJson(json(49_000))).toEqual(JSON.parse(json(49_000)));
    expect(() => parseForeignJson(json(50_002))).toThrow(JsonRefused);
    expect(() => parseJson(json(10_002))).toThrow('JSON may have at most 10000 values');
  });

  it('may have texts of any kind and length', () => {
    const text = JSON.stringify({ text: '[1,2],{"a":3},'.repeat(50_000) });
    expect(parseForeignJson(text)).toEqual(JSON.parse(text));
  });
});

it('JSON may be limited to a number of values, which are counted before any is parsed', () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => ',,"[{'));
  expect(parseJson(list(100), 100)).toHaveLength(100);
  expect(() => parseJson(list(101), 100)).toThrow(JsonRefused);
  expect(() => parseJson(`${list(101)}nothing that can be parsed`, 100)).toThrow(
    'JSON may have at most 100 values',
  );
  expect(parseJson(list(9_999))).toHaveLength(9_999);
});
