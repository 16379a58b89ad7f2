import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Address, directAddress } from '../../../../src/base/address.ts';
import type { Connector } from '../../../../src/connectors/contract/connector.ts';
import type { OutboundFile, OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import { teamsConnector } from '../../../../src/connectors/teams/teams-connector.ts';
import { FakeTeams } from '../../../fakes/teams/fake-teams.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { NO_SIP } from '../../../support/no-sip.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { bodyOfReply } from '../../../support/webhook.ts';
import { MemoryIntake } from '../telegram/memory-intake.ts';

export const LOGIN = { kind: 'shared' } as const;
export const NEVER = new AbortController().signal;

/** The domain's side, with the files of messages that were sent. */
export class TeamsIntake extends MemoryIntake {
  readonly sent = new Map<string, readonly OutboundFile[]>();

  override async sentFile(messageId?: string, index?: number): Promise<never> {
    return (this.sent.get(messageId ?? '')?.[index ?? 0] ?? null) as never;
  }
}

/** A fake Teams, a connector to it, and the endpoint at which Teams calls it; all closed with the test. */
export async function connected({ hasFiles = true, records = new MemoryRecords() } = {}) {
  const teams = await FakeTeams.start({ retryDelays: [] });
  onTestFinished(() => teams.stop());
  const clock = new TurnableClock();
  const counts = new Map<string, number>();
  const observer = {
    count: (event: string) => void counts.set(event, (counts.get(event) ?? 0) + 1),
    log: () => undefined,
  };
  const connector = teamsConnector(optionsFor(teams, hasFiles), {
    clock,
    observer,
    records,
    sip: NO_SIP,
    log: () => undefined,
  });
  const intake = new TeamsIntake();
  const messenger = connector.provides.messenger!;
  messenger.onMessages(intake);
  await connector.start();
  onTestFinished(() => connector.close(0));
  teams.delivery.url = await endpointOf(connector);
  const ada = teams.addPerson('Ada');
  const settled = () => teams.delivery.settled();
  return { teams, clock, counts, connector, intake, messenger, records, ada, settled };
}

function optionsFor(teams: FakeTeams, hasFiles: boolean) {
  const { settings, bot } = teams;
  return {
    cloud: 'public',
    loginUrl: settings.SVC_TEAMS_LOGIN_URL,
    graphUrl: settings.SVC_TEAMS_GRAPH_URL,
    tenant: 'organizations',
    application: null,
    bot: {
      appId: bot.appId,
      secret: bot.secret,
      tenantId: bot.tenantId,
      hasFiles,
      openIdUrl: settings.SVC_TEAMS_OPENID_URL,
      serviceUrl: settings.SVC_TEAMS_SERVICE_URL,
      filesUrl: settings.SVC_TEAMS_FILES_URL,
      serviceHosts: [],
    },
  } as const;
}

async function endpointOf(connector: Connector): Promise<string> {
  const webhooks = connector.provides.webhooks!;
  const server = createServer(async (request, response) => {
    const header = (name: string) => `${request.headers[name] ?? ''}`;
    const about = { endpoint: '/api/messages', loginKey: '', header };
    const body = await buffer(request);
    const reply =
      webhooks.refuses(about) ??
      (await webhooks.webhook({ ...about, method: 'post', query: {}, body, signal: NEVER }));
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(bodyOfReply(reply));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/messages`;
}

export function outbound(
  to: string | Address,
  text: string,
  attachments: readonly OutboundFile[] = [],
): OutboundMessage {
  const address = typeof to === 'string' ? directAddress(LOGIN, to) : to;
  return { messageId: 'msg_1', to: address, text, attachments };
}

/** A file in one piece. */
export function outboundFile(name: string, bytes: Uint8Array): OutboundFile {
  return {
    name,
    mime: 'application/pdf',
    sizeBytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}
