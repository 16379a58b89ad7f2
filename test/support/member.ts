import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gateway } from './gateway.ts';
import type { Answer } from './gateway-api.ts';
import { Person } from './person.ts';
import { waitFor } from './wait-for.ts';

/**
 * A person who signed up at a gateway with `SVC_SIGNUP=open`, verified the address, and is signed in. `linkOf`: how the
 * link of the mail is found; in the outbox unless told otherwise.
 */
export async function memberOf(
  gateway: Gateway,
  email: string,
  linkOf: () => Promise<string> = async () => (await mailedLinks(gateway, email))[0]!,
): Promise<Person> {
  const person = new Person(gateway.baseUrl, email, `the password of ${email}`);
  gateway.secrets.add(person.password);
  expectOk(await person.signUp({ name: email }));
  expectOk(await person.signIn());
  // In a browser that is already signed in, a link acts at once.
  expectOk(await person.visit((await linkOf()).slice(gateway.baseUrl.length)));
  gateway.secrets.add(person.cookie!.split('=')[1]!);
  return person;
}

/** The links of the mails to an address, in the order in which they were written; waits for the first. */
export async function mailedLinks(gateway: Gateway, email: string): Promise<string[]> {
  return await waitFor(`a mail to ${email}`, () => {
    const links = mailsTo(gateway, email).flatMap((mail) => mail.match(/https?:\/\/\S+/g) ?? []);
    return links.length > 0 && links;
  });
}

/** The mails to an address in the outbox, oldest first. */
function mailsTo({ dataFolder }: Gateway, email: string): string[] {
  const outbox = join(dataFolder, 'outbox');
  if (!existsSync(outbox)) return [];
  const mails = readdirSync(outbox)
    .sort()
    .map((name) => readFileSync(join(outbox, name), 'utf8'));
  return mails.filter((mail) => mail.startsWith(`To: ${email}\n`));
}

function expectOk({ status, body }: Answer): void {
  if (status >= 400) throw new Error(`${status} ${JSON.stringify(body)}`);
}
