import { type Attack, PROVIDER_HOST } from '../attack.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';
import { untilRefused } from '../until-refused.ts';

const NUMBER = 5;
const MOST_NUMBERS = 1_000;

/** A second account names the provider of the first and lists a number that looks like its number. */
export const inboundHijack: Attack = {
  number: NUMBER,
  name: "another account's inbound calls",
  async run(target, notes, mails) {
    const provider = await ScriptedProvider.open(target.sipPort);
    const owner = await newTenant(target, mails, NUMBER, 1);
    const thief = await newTenant(target, mails, NUMBER, 2);
    notes.act(
      'a thief names the same provider and lists the national form of the number, and the number itself',
    );
    // The thief comes first, which must not help.
    await listAt(thief, provider.port, ['+30123456', '+49301234567'], notes);
    await listAt(owner, provider.port, ['+4930123456'], notes);
    for (const called of ['030123456', '+4930123456', '4930123456', '30123456', '+30123456', '+49301234567'])
      await demandNotStolen(provider, thief, called, notes);
    await demandReached(provider, owner, thief, notes);
    provider.close();
    await listAll(thief, notes);
    for (const each of [owner, thief]) await leave(each);
  },
};

async function listAt(
  { settingsApi }: Tenant,
  port: number,
  numbers: readonly string[],
  notes: Notes,
): Promise<void> {
  const trunk = { host: PROVIDER_HOST, port, username: 'customer', password: 'secret', register: false };
  const put = await settingsApi.put('/api/sip/trunk', trunk);
  notes.see(`a trunk: ${put.status} ${put.status === 200 ? '' : JSON.stringify(put.body)}`);
  for (const number of numbers) {
    const { status } = await settingsApi.post('/api/sip/dids', { number, auto_answer: false });
    notes.see(`${number} listed: ${status}`);
  }
}

async function demandNotStolen(
  provider: ScriptedProvider,
  thief: Tenant,
  called: string,
  notes: Notes,
): Promise<void> {
  const answered = provider.call(called, called, 40_000, 700);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const { body } = await thief.agentApi.get('/api/calls');
  const stolen = body.calls?.length ?? 0;
  await answered;
  notes.demand(stolen === 0, `the thief's calls while the provider calls ${called}`, stolen);
}

/** The address by which calls reach an account, and no other. */
async function demandReached(
  provider: ScriptedProvider,
  owner: Tenant,
  thief: Tenant,
  notes: Notes,
): Promise<void> {
  const { body } = await owner.settingsApi.get('/api/sip/trunk');
  const uri: unknown = body.inbound_uri;
  notes.demand(typeof uri === 'string', 'the trunk shows the URI that reaches it', uri ? 'yes' : 'no');
  if (typeof uri !== 'string') return;
  const user = /^sips?:([^@]+)@/.exec(uri)?.[1] ?? '';
  const answered = provider.call(user, '+4930123456', 40_000, 1_500);
  await new Promise((resolve) => setTimeout(resolve, 700));
  const [reached, stolen] = await Promise.all(
    [owner, thief].map(async ({ agentApi }) => (await agentApi.get('/api/calls')).body.calls?.length),
  );
  await answered;
  notes.demand(
    reached === 1 && stolen === 0,
    'calls of the owner and of the thief by that URI',
    `${reached} and ${stolen}`,
  );
}

async function listAll({ settingsApi }: Tenant, notes: Notes): Promise<void> {
  notes.act('one account lists numbers until it is refused');
  const { count, status } = await untilRefused(MOST_NUMBERS + 50, (n) =>
    settingsApi.post('/api/sip/dids', { number: `+4989${1_000_000 + n}`, auto_answer: false }),
  );
  notes.demand(count <= MOST_NUMBERS, 'numbers that one account may list', `${count}, then ${status}`);
}
