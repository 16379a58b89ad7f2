import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Mailer } from '../../../../src/accounts/mail/mailer.ts';
import { type Mail, resetMail } from '../../../../src/accounts/mail/mails.ts';
import { OutboxFolder } from '../../../../src/accounts/mail/outbox-folder.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { NOW, temporaryDir } from '../../store/temporary.ts';

const MAIL = resetMail('ada@example.com', 'https://voice.example.com/auth/reset-password?token=abc', '');

const OWNER = 'acc_1';

/** A mailer whose transport fails once for each of the errors. */
function mailer(errors: unknown[] = []) {
  const clock = new ManualClock();
  const sent: Mail[] = [];
  const mailFailed = vi.fn();
  const send = vi.fn(async (mail: Mail) => {
    if (errors.length > 0) throw errors.shift();
    sent.push(mail);
  });
  const close = vi.fn();
  return { clock, sent, send, close, mailFailed, mailer: new Mailer({ send, close }, clock, { mailFailed }) };
}

/** Lets all pending promises settle. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a mail is composed and sent shortly after it is requested', async () => {
  const { clock, sent, mailer: tested } = mailer();
  const write = vi.fn(async () => MAIL);
  tested.later(OWNER, write);
  clock.advance(99);
  expect(write).not.toHaveBeenCalled();
  clock.advance(501);
  await tested.settled();
  expect(sent).toEqual([MAIL]);
});

test('mails are composed in the order of their requests, even after one that failed', async () => {
  const { clock, sent, mailFailed, mailer: tested } = mailer();
  const orders = Array.from({ length: 20 }, (_, order) => order);
  const written: number[] = [];
  for (const order of orders)
    tested.later(OWNER, async () => {
      for (let turns = order; turns < orders.length; turns++) await turn();
      written.push(order);
      if (order === 5) throw new Error('no such account');
      return MAIL;
    });
  for (let elapsedMs = 0; elapsedMs < 600; elapsedMs += 50) {
    clock.advance(50);
    await turn();
  }
  await tested.settled();
  expect(written).toEqual(orders);
  expect([sent.length, mailFailed.mock.calls]).toEqual([19, [[new Error('no such account')]]]);
});

test('a mail for somebody new does not wait behind the many that another causes', async () => {
  const { clock, mailer: tested, send } = mailer();
  const under = Promise.withResolvers<void>();
  send.mockImplementation(() => under.promise);
  const mailTo = (to: string) => async () => ({ ...MAIL, to });
  for (let n = 0; n < 20; n++) tested.later('198.18.0', mailTo(`${n}@example.com`));
  clock.advance(1_000);
  await turn();
  tested.later(OWNER, mailTo('ada@example.com'));
  clock.advance(1_000);
  await turn();
  expect(tested.turns).toMatchObject({ taken: 2, waiting: 19 });
  under.resolve();
  await tested.settled();
  expect(send.mock.calls.findIndex(([{ to }]) => to === 'ada@example.com')).toBe(2);
});

test('a mail without a recipient is not a failure', async () => {
  const { clock, send, mailFailed, mailer: tested } = mailer();
  tested.later(OWNER, async () => null);
  clock.advance(1_000);
  await tested.settled();
  expect([send.mock.calls, mailFailed.mock.calls]).toEqual([[], []]);
});

test('a failed mail is tried twice more, then given up', async () => {
  const { clock, sent, send, mailFailed, mailer: tested } = mailer([1, 2].map(() => new Error('busy')));
  tested.later(OWNER, async () => MAIL);
  for (const waitMs of [1_000, 5_000, 60_000]) {
    clock.advance(waitMs);
    await turn();
  }
  await tested.settled();
  expect([sent, send.mock.calls.length, mailFailed.mock.calls]).toEqual([[MAIL], 3, []]);

  const never = mailer([1, 2, 3].map((n) => new Error(`busy ${n}`)));
  never.mailer.later(OWNER, async () => MAIL);
  for (const waitMs of [1_000, 5_000, 60_000]) {
    never.clock.advance(waitMs);
    await turn();
  }
  await never.mailer.settled();
  expect(never.mailFailed.mock.calls).toEqual([[new Error('busy 3')]]);
});

test('a permanent refusal by the mail server is not retried', async () => {
  const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
  const { clock, send, mailFailed, mailer: tested } = mailer([refusal]);
  tested.later(OWNER, async () => MAIL);
  clock.advance(1_000);
  await tested.settled();
  expect([send.mock.calls.length, mailFailed.mock.calls]).toEqual([1, [[refusal]]]);
});

test('closing sends what is pending, and does not wait for a send that hangs', async () => {
  const { clock, sent, close, mailFailed, mailer: tested } = mailer([new Error('busy')]);
  tested.later(OWNER, async () => MAIL);
  clock.advance(1_000);
  await turn();
  tested.later(OWNER, async () => ({ ...MAIL, to: 'bob@example.com' }));
  await tested.close(60_000);
  expect(sent.map(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
  expect([close.mock.calls.length, mailFailed.mock.calls.length]).toEqual([1, 0]);

  const stuck = mailer();
  stuck.send.mockImplementation(() => new Promise(() => {}));
  stuck.mailer.later(OWNER, async () => MAIL);
  await stuck.mailer.close(20);
  expect(stuck.close).toHaveBeenCalledOnce();
});

test('without a mail server each mail becomes a file that only its owner can read', async () => {
  const dir = join(temporaryDir(), 'outbox');
  const mailSavedToFile = vi.fn();
  const folder = new OutboxFolder(dir, () => NOW, { mailSavedToFile });
  await folder.send(MAIL);
  await folder.send(MAIL);
  const names = readdirSync(dir);
  expect(names).toHaveLength(2);
  const path = join(dir, names[0]!);
  expect([statSync(dir).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  expect(readFileSync(path, 'utf8')).toBe(`To: ${MAIL.to}\nSubject: ${MAIL.subject}\n\n${MAIL.text}`);
  expect(mailSavedToFile).toHaveBeenCalledWith(MAIL, expect.stringContaining(dir));
});

test('the HTML and the text of a mail say the same', () => {
  const mail = resetMail('ada@example.com', 'https://voice.example.com/?a=1&b="<script>', '');
  expect(mail.text).toContain('https://voice.example.com/?a=1&b="<script>');
  expect(mail.html).toContain('href="https://voice.example.com/?a=1&amp;b=&quot;&lt;script&gt;"');
  expect(mail.html).not.toContain('<script>');
});
