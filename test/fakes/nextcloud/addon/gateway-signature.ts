import { timingSafeEqual } from 'node:crypto';
import { jsonAnswer, PlainError } from '../http/nc-answer.ts';
import { headerOf, type NcRequest } from '../http/nc-request.ts';
import type { NcScene } from '../http/ocs-route.ts';
import type { FakeAddon } from './fake-addon.ts';
import { signatureOf } from './gateway-posts.ts';

/** Randoms of the gateway. The addon takes one twice; a gateway that sends one twice has made a mistake. */
const usedRandoms = new WeakMap<FakeAddon, Set<string>>();

/** Throws PlainError for a request that the gateway has not signed. */
export function checkSignature(
  addon: FakeAddon,
  request: NcRequest,
  { mistake }: Pick<NcScene, 'mistake'>,
): void {
  const random = headerOf(request, 'x-maquisard-random');
  const signature = headerOf(request, 'x-maquisard-signature');
  const expected = Buffer.from(signatureOf(random, addon.apiSecret));
  const given = Buffer.from(signature);
  const isRight = random !== '' && given.length === expected.length && timingSafeEqual(given, expected);
  const isMissing = random === '' || signature === '';
  if (!isRight) throw new PlainError(jsonAnswer(403, { error: 'Invalid HMAC' }), isMissing);
  const used = usedRandoms.get(addon) ?? new Set();
  usedRandoms.set(addon, used);
  if (used.has(random)) mistake(`${request.path}: a random was used twice`);
  used.add(random);
}
