import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PostDialFault, type PostDialStep, parsePostDial } from '../../../src/base/post-dial.ts';

const keys = (text: string): PostDialStep => ({ type: 'keys', keys: text });
const pause = (seconds: number): PostDialStep => ({ type: 'pause', pauseMs: seconds * 1_000 });
const WAIT: PostDialStep = { type: 'wait' };

it.each<[string, PostDialStep[]]>([
  // Zoom; Zoom with a participant id, and before 2020.
  [',,85775884256#,,,,*010383#', [pause(4), keys('85775884256#'), pause(8), keys('*010383#')]],
  [
    ',,83411719839#,,,,#,,,,*999999#',
    [pause(4), keys('83411719839#'), pause(8), keys('#'), pause(8), keys('*999999#')],
  ],
  [
    ',,9472623647#,,#,268664#',
    [pause(4), keys('9472623647#'), pause(4), keys('#'), pause(2), keys('268664#')],
  ],
  // Teams, GoToMeeting, Jitsi; Chime; Webex; BigBlueButton.
  [',,353854704#', [pause(4), keys('353854704#')]],
  [',,,6064724824#', [pause(6), keys('6064724824#')]],
  [',,*01*615734219##*01*', [pause(4), keys('*01*615734219##*01*')]],
  [',27777#', [pause(2), keys('27777#')]],
  // RFC 3601.
  ['2134*#-.2ppwww364', [keys('2134*#2'), pause(4), WAIT, keys('364')]],
  ['w6100', [WAIT, keys('6100')]],
  // Android and iOS; letters of either case; as people write.
  [';123;45', [WAIT, keys('123'), WAIT, keys('45')]],
  ['P1W2a', [pause(2), keys('1'), WAIT, keys('2A')]],
  ['; ;, 123 456-78.9 (0) #', [WAIT, pause(2), keys('1234567890#')]],
  ['1234#', [keys('1234#')]],
  ['\u202a111\u00a0222\u2011333\u202c＃', [keys('111222333#')]],
])('reads %s', (text, steps) => {
  expect(parsePostDial(text)).toEqual(steps);
});

const step = fc.oneof(
  fc.stringMatching(/^[0-9*#A-D]{1,8}$/).map(keys),
  fc.integer({ min: 1, max: 3 }).map((commas) => pause(2 * commas)),
  fc.constant(WAIT),
);
/** Steps as a parser gives them: no two of a kind in a row. */
const steps = fc
  .array(step, { maxLength: 6 })
  .map((list) => list.filter(({ type }, i) => type !== list[i - 1]?.type))
  .filter((list) => list.some(({ type }) => type === 'keys'));
const style = fc.record({
  pause: fc.constantFrom(',', 'p', 'P', ' ,'),
  wait: fc.constantFrom(';', 'w', 'W', ';;', 'w w'),
  between: fc.constantFrom('', ' ', '-', '.'),
});

it('reads what was written in any style', () => {
  fc.assert(
    fc.property(steps, style, (list, { pause: comma, wait, between }) => {
      const text = list.map((each) => {
        if (each.type === 'keys') return [...each.keys].join(between);
        return each.type === 'pause' ? comma.repeat(each.pauseMs / 2_000) : wait;
      });
      expect(parsePostDial(text.join(between))).toEqual(list);
    }),
  );
});

it('reads every text, or says what is wrong with it', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789*#ABCD,;pwPW -.()+x') }),
  );
  fc.assert(
    fc.property(text, (each) => {
      try {
        const keyed = parsePostDial(each).filter(({ type }) => type === 'keys');
        expect(keyed.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(PostDialFault);
      }
    }),
  );
});

it.each([
  [',,123# US', '"U" at character 8 is neither a key (0-9, *, #, A-D)'],
  ['12+3', '"+" at character 3'],
  ['1😀', '"😀" at character 2'],
  [',,', 'there is no key to press'],
  ['1'.repeat(65), 'there are 65 keys to press; the maximum is 64'],
  [`${','.repeat(31)}1`, 'the pauses take 62 s, with 10 s for each wait; the maximum is 60 s'],
  [`${';1'.repeat(7)}`, 'the pauses take 70 s'],
])('refuses %s', (text, message) => {
  expect(() => parsePostDial(text)).toThrow(message);
});

it('takes as much as can be queued, and a minute', () => {
  expect(parsePostDial(`${','.repeat(30)}${'1'.repeat(64)}`)).toEqual([pause(60), keys('1'.repeat(64))]);
});
