import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/contract/connector.ts';
import { BundledGateway } from '../support/bundled-gateway.ts';
import { loopbackConnector } from './calls/loopback-calls-under-test.ts';
import { declarationTable } from './declarations.ts';
import { LoopbackMessengerUnderTest } from './messenger/loopback-messenger-under-test.ts';
import { MESSENGER_RULES } from './messenger-suite.ts';
import { describeRules } from './rule.ts';

let bundled: BundledGateway;
let messenger: LoopbackMessengerUnderTest;

beforeAll(async () => {
  bundled = await BundledGateway.prepare('test/loopback/main.ts');
  const options = { patienceMs: 30_000, gateway: bundled.options };
  messenger = await LoopbackMessengerUnderTest.start(options);
});
afterAll(async () => {
  await messenger?.stop();
  bundled?.remove();
});

describeRules('Loopback', MESSENGER_RULES, () => messenger, true);

it('declares what no platform of the product does', () => {
  const table = declarationTable(new Map<string, Connector>([['Loopback', loopbackConnector()]]));
  console.log(table);
  for (const what of ['connections by OAuth', 'drops repeated messages'])
    expect(table).toContain(`| ${what} | yes |`);
});
