import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from '../../../src/base/json-fault.ts';

test.each([
  ['', 'line 1, column 1: expected a value, but the text ends'],
  ['a=1&b=2', 'line 1, column 1: expected a value'],
  ["{'a': 1}", 'line 1, column 2: expected a name in double quotes'],
  ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes'],
  ['{"a" 1}', 'line 1, column 6: expected a colon'],
  ['{"a": tru}', 'line 1, column 7: expected a value'],
  ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: expected a comma or }'],
  ['[1, 2', 'line 1, column 6: expected a comma or ], but the text ends'],
  ['[01]', 'line 1, column 3: expected a comma or ]'],
  ['[NaN]', 'line 1, column 2: expected a value'],
  ['[-]', 'line 1, column 3: expected a digit'],
  ['[1.]', 'line 1, column 4: expected a digit'],
  ['{} {}', 'line 1, column 4: expected nothing more'],
  ['["a\nb"]', 'line 1, column 4: a control character in a string must be escaped'],
  ['["\\x"]', 'line 1, column 3: no such escape in a string'],
  ['["é', 'line 1, column 4: expected a closing double quote, but the text ends'],
])('%j', (text, fault) => {
  expect(jsonFault(text)).toBe(fault);
});

test('agrees with the parser about texts that are nearly JSON', () => {
  const nearly = fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom('', '"', ',', ':', '}', ']', '0', '\\', '\n', 'x', '-', '.'),
    )
    .map(([json, at, cut, put]) => {
      const from = at % (json.length + 1);
      return json.slice(0, from) + put + json.slice(from + cut);
    });
  fc.assert(
    fc.property(nearly, (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(jsonFault(text) === '').toBe(isJson);
    }),
    { numRuns: 5_000 },
  );
});
