import type { Connector, Provides } from '../../src/connectors/contract/connector.ts';
import type { Messenger } from '../../src/connectors/contract/messenger.ts';

type OptionalMembers<T> = { [Name in keyof T]-?: object extends Pick<T, Name> ? Name : never }[keyof T];

/** Members of `provides`, and of what is in it, as the table of the README names them. */
const PROVIDES: Readonly<Record<keyof Provides, string>> = {
  calls: 'calls',
  inboundCalls: 'inbound calls',
  messenger: 'direct messages',
  webhooks: 'webhooks',
  bots: 'bots of accounts',
  sharedLogin: 'login shared by all accounts',
  invitations: 'invite links',
  deepLinks: 'links to bots',
  oauth: 'connections by OAuth',
  pairing: 'connections by pairing',
};
const MESSENGER: Readonly<Record<OptionalMembers<Messenger>, string>> = {
  typing: 'typing indicators',
  files: 'files',
  window: 'window to reply in',
  captions: 'files without captions',
  quotes: 'quoted messages',
  choices: 'buttons',
  reactions: 'reactions',
  remedies: 'suggestions for refused messages',
  dropsDuplicatesForMs: 'drops repeated messages',
  mostPerSecond: 'accounts share what is sent a second',
};

const EVERYTHING: readonly string[] = [...Object.values(PROVIDES), ...Object.values(MESSENGER)];

/** What a connector declares that it does. */
export function declarationsOf({ provides }: Connector): Set<string> {
  const { messenger = {} } = provides;
  return new Set([...namesOf(provides, PROVIDES), ...namesOf(messenger, MESSENGER)]);
}

function namesOf<Key extends string>(parts: object, names: Readonly<Record<Key, string>>): string[] {
  return (Object.keys(names) as Key[])
    .filter((key) => Reflect.get(parts, key) !== undefined)
    .map((key) => names[key]);
}

/** A Markdown table with a column for each connector. */
export function declarationTable(connectors: ReadonlyMap<string, Connector>): string {
  const columns = [...connectors].map(([name, connector]) => ({ name, declared: declarationsOf(connector) }));
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    row(['', ...columns.map(({ name }) => name)]),
    row(['---', ...columns.map(() => '---')]),
    ...EVERYTHING.map((what) =>
      row([what, ...columns.map(({ declared }) => (declared.has(what) ? 'yes' : ''))]),
    ),
  ].join('\n');
}
