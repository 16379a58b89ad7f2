import type { AccountDomain } from '../accounts/account/account-domain.ts';
import type { LeavingDomain } from '../accounts/account/delete-account.ts';
import type { AgentProbes } from '../accounts/keys/agent-probes.ts';
import type { SipSetup } from '../accounts/logins/sip-accounts.ts';
import type { OperatorSetup } from '../accounts/people/operator-setup.ts';
import type { People } from '../accounts/people/people.ts';
import type { AgentDomain } from '../agents/agent-domain.ts';
import type { AuthorizationContext } from '../api/authorization/authorization-context.ts';
import { authorizeRoutes } from '../api/authorization/authorize.ts';
import { clientRoutes } from '../api/authorization/clients.ts';
import { mcpAuthorizationRoutes } from '../api/authorization/mcp-authorizations.ts';
import { metadataRoutes } from '../api/authorization/metadata.ts';
import type { Route } from '../api/http/routing/route.ts';
import { accountDeletionRoutes, accountRoutes } from '../api/rest/account.ts';
import { deliveryRoutes } from '../api/rest/agent-deliveries.ts';
import { agentPolicyRoutes } from '../api/rest/agent-policy.ts';
import { agentProbeRoutes } from '../api/rest/agent-probe.ts';
import { agentProviderRoutes } from '../api/rest/agent-provider.ts';
import { agentRoutes } from '../api/rest/agents.ts';
import { apiKeyRoutes } from '../api/rest/api-keys.ts';
import { botOwnerRoutes } from '../api/rest/bot-owner.ts';
import { botRoutes } from '../api/rest/bots.ts';
import { callRoutes } from '../api/rest/calls.ts';
import { connectionRoutes } from '../api/rest/connections.ts';
import { dmRoutes } from '../api/rest/dms.ts';
import { emailAddressRoutes } from '../api/rest/email-address.ts';
import { fileRoutes } from '../api/rest/files.ts';
import { firstSignInRoutes } from '../api/rest/first-sign-in.ts';
import { type InboxDomain, inboxRoutes } from '../api/rest/inbox.ts';
import { type OAuthContext, oauthRoutes } from '../api/rest/oauth.ts';
import { openApiRoute, schemaRoute } from '../api/rest/openapi.ts';
import { type OperatorSources, operatorRoutes } from '../api/rest/operator.ts';
import { pairingRoutes } from '../api/rest/pairings.ts';
import { type BridgeContext, platformBridgeRoutes } from '../api/rest/platform-bridge.ts';
import { platformRoutes } from '../api/rest/platforms.ts';
import { signInRoutes } from '../api/rest/sign-in.ts';
import { sipRoutes } from '../api/rest/sip.ts';
import { type ReadinessCheck, systemRoutes } from '../api/rest/system.ts';
import { voiceConfigRoutes } from '../api/rest/voice-configs.ts';
import { webhookRoutes } from '../api/rest/webhooks.ts';
import { ConsentTickets } from '../authorization/consent-ticket.ts';
import type { ReadingTime } from '../base/reading-time.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { FileDomain } from '../files/file-domain.ts';
import type { DeliveryDomain } from '../inline/deliveries/deliveries.ts';
import type { BrowseDomain } from '../inline/provider/browse-provider.ts';
import type { OutboundDomain } from '../messaging/outbox/outbound-domain.ts';
import type { SpeechDomain } from '../speech/speech-domain.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { RenderedMetrics } from '../telemetry/rendered-metrics.ts';

/** The domains that the endpoints use. */
export interface Domains {
  readonly calls: CallDomain;
  readonly accounts: AccountDomain;
  readonly leaving: LeavingDomain;
  readonly sip: SipSetup;
  readonly speech: SpeechDomain;
  readonly agents: AgentDomain;
  readonly deliveries: DeliveryDomain;
  readonly browsing: BrowseDomain;
  readonly files: FileDomain;
  readonly inbox: InboxDomain;
  readonly outbound: OutboundDomain;
  readonly platformBridge: BridgeContext;
  readonly probes: AgentProbes;
  readonly readingTime: ReadingTime;
  readonly people: People;
  readonly operatorSetup: OperatorSetup;
  readonly operator: OperatorSources;
  readonly oauth: OAuthContext;
  readonly authorization: AuthorizationContext;
  readonly metrics: Metrics;
  readonly readiness: readonly ReadinessCheck[];
  readonly publicUrl: () => string;
}

export function routes(domains: Domains): Route[] {
  const { calls, accounts, agents, deliveries, files, people, oauth, authorization, publicUrl, readingTime } =
    domains;
  const metrics = new RenderedMetrics(() => domains.metrics.text());
  const all: Route[] = [
    ...callRoutes(calls, files, publicUrl),
    ...inboxRoutes(domains.inbox),
    ...dmRoutes(domains.outbound),
    ...fileRoutes(files, publicUrl),
    ...sipRoutes(domains.sip),
    ...agentRoutes(agents),
    ...agentPolicyRoutes(agents),
    ...agentProviderRoutes(agents, deliveries, domains.browsing),
    ...deliveryRoutes(deliveries),
    ...apiKeyRoutes(agents),
    ...accountRoutes(accounts),
    ...platformRoutes(accounts),
    ...connectionRoutes(accounts, oauth),
    ...pairingRoutes({
      domain: accounts,
      visitors: oauth,
      signup: people.signup,
      tickets: new ConsentTickets(accounts.clock),
    }),
    ...botRoutes(accounts),
    ...botOwnerRoutes(accounts),
    ...webhookRoutes(calls.connectors.values(), readingTime),
    ...platformBridgeRoutes(domains.platformBridge),
    ...voiceConfigRoutes(domains.speech),
    ...accountDeletionRoutes(domains.leaving, publicUrl),
    ...agentProbeRoutes(domains.probes),
    ...signInRoutes(people),
    ...firstSignInRoutes(people, domains.operatorSetup, oauth.signIns),
    ...emailAddressRoutes(people),
    ...oauthRoutes(oauth),
    ...metadataRoutes(authorization.domain),
    ...clientRoutes(authorization),
    ...authorizeRoutes(authorization),
    ...mcpAuthorizationRoutes(authorization.domain),
    ...operatorRoutes(domains.operator),
    ...systemRoutes({ readiness: domains.readiness, metrics: () => metrics.text() }),
    schemaRoute(),
    openApiRoute(() => all, publicUrl),
  ];
  return all;
}
