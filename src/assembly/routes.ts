import type { AccountDomain } from '../accounts/account/account-domain.ts';
import type { LeavingDomain } from '../accounts/account/delete-account.ts';
import type { AgentProbes } from '../accounts/keys/agent-probes.ts';
import type { SipSetup } from '../accounts/logins/sip-accounts.ts';
import { checkPassword } from '../accounts/passwords/check-password.ts';
import type { People } from '../accounts/people/people.ts';
import type { AgentDomain } from '../agents/agent-domain.ts';
import type { AuthorizationContext } from '../api/authorization/authorization-context.ts';
import { authorizeRoutes } from '../api/authorization/authorize.ts';
import { clientRoutes } from '../api/authorization/clients.ts';
import { mcpAuthorizationRoutes } from '../api/authorization/mcp-authorizations.ts';
import { metadataRoutes } from '../api/authorization/metadata.ts';
import type { Route } from '../api/http/routing/route.ts';
import { accountDeletionRoutes, accountRoutes, exportRoutes } from '../api/rest/account.ts';
import { adminConsentRoutes } from '../api/rest/admin-consents.ts';
import { deliveryRoutes } from '../api/rest/agent-deliveries.ts';
import { agentMemberRoutes } from '../api/rest/agent-members.ts';
import { agentProbeRoutes } from '../api/rest/agent-probe.ts';
import { agentProviderRoutes } from '../api/rest/agent-provider.ts';
import { agentRoutes } from '../api/rest/agents.ts';
import { apiKeyRoutes } from '../api/rest/api-keys.ts';
import { botLinkRoutes } from '../api/rest/bot-links.ts';
import { botOwnerRoutes } from '../api/rest/bot-owner.ts';
import { botTokenRoutes } from '../api/rest/bot-tokens.ts';
import { callAudioRoute } from '../api/rest/call-audio.ts';
import { callChatRoutes } from '../api/rest/call-chat.ts';
import { callRoutes } from '../api/rest/calls.ts';
import { connectionRoutes } from '../api/rest/connections.ts';
import { dmRoutes } from '../api/rest/dms.ts';
import { emailAddressRoutes } from '../api/rest/email-address.ts';
import { feedbackRoutes } from '../api/rest/feedback.ts';
import { fileRoutes } from '../api/rest/files.ts';
import { identityRoutes } from '../api/rest/identities.ts';
import { type InboxDomain, inboxRoutes } from '../api/rest/inbox.ts';
import { internalBearerRoutes } from '../api/rest/internal-bearer.ts';
import { inviteLinkRoutes } from '../api/rest/invite-link.ts';
import { type OAuthContext, oauthRoutes } from '../api/rest/oauth.ts';
import { openApiRoute } from '../api/rest/openapi.ts';
import { passwordRoutes } from '../api/rest/passwords.ts';
import { type BridgeContext, platformBridgeRoutes } from '../api/rest/platform-bridge.ts';
import { platformOAuthRoutes } from '../api/rest/platform-oauth.ts';
import { platformRoutes } from '../api/rest/platforms.ts';
import { signInRoutes } from '../api/rest/sign-in.ts';
import { sipDidRoutes } from '../api/rest/sip-dids.ts';
import { sipTrunkRoutes } from '../api/rest/sip-trunk.ts';
import { type ReadinessCheck, systemRoutes } from '../api/rest/system.ts';
import { usageRoutes } from '../api/rest/usage.ts';
import { voiceConfigRoutes } from '../api/rest/voice-configs.ts';
import { voicesRoute } from '../api/rest/voices.ts';
import { webhookRoutes } from '../api/rest/webhooks.ts';
import { INVITE_URL } from '../base/platform.ts';
import type { CallDomain } from '../calls/call-domain.ts';
import type { FileDomain } from '../files/file-domain.ts';
import { deleteAccountFiles } from '../files/remove-files.ts';
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
  readonly people: People;
  readonly oauth: OAuthContext;
  readonly authorization: AuthorizationContext;
  readonly metrics: Metrics;
  readonly readiness: readonly ReadinessCheck[];
  readonly publicUrl: () => string;
}

export function routes(domains: Domains): Route[] {
  const {
    calls,
    accounts,
    sip,
    agents,
    files,
    inbox,
    outbound,
    probes,
    people,
    oauth,
    authorization,
    metrics,
  } = domains;
  const { deliveries, publicUrl } = domains;
  const rendered = new RenderedMetrics(() => metrics.text());
  const all: Route[] = [
    ...callRoutes(calls, publicUrl),
    callAudioRoute(calls),
    ...callChatRoutes(calls, files),
    ...inboxRoutes(inbox),
    ...dmRoutes(outbound),
    ...fileRoutes(files, publicUrl),
    ...sipTrunkRoutes(sip),
    ...sipDidRoutes(sip),
    ...agentRoutes(agents),
    ...agentMemberRoutes(agents),
    ...agentProviderRoutes(agents, deliveries, domains.browsing),
    ...internalBearerRoutes(agents),
    ...deliveryRoutes(deliveries),
    ...apiKeyRoutes(agents),
    ...accountRoutes(accounts),
    ...usageRoutes(accounts),
    ...platformRoutes(accounts),
    ...connectionRoutes(accounts, oauth),
    ...adminConsentRoutes(accounts, oauth),
    ...platformOAuthRoutes(accounts, oauth),
    ...botTokenRoutes(accounts),
    ...botOwnerRoutes(accounts),
    ...inviteLinkRoutes(accounts, (token) => inviteUrl(calls, token)),
    ...botLinkRoutes(accounts),
    ...webhookRoutes(calls.connectors.values()),
    ...platformBridgeRoutes(domains.platformBridge),
    ...voiceConfigRoutes(domains.speech),
    voicesRoute(domains.speech),
    ...feedbackRoutes(accounts),
    ...exportRoutes(accounts),
    ...accountDeletionRoutes(leavingDomain(accounts, agents, files, people), publicUrl),
    ...agentProbeRoutes(probes),
    ...signInRoutes(people),
    ...passwordRoutes(people),
    ...emailAddressRoutes(people),
    ...oauthRoutes(oauth),
    ...identityRoutes(oauth.signIns),
    ...metadataRoutes(authorization.domain),
    ...clientRoutes(authorization),
    ...authorizeRoutes(authorization),
    ...mcpAuthorizationRoutes(authorization.domain),
    ...systemRoutes({ readiness: domains.readiness, metrics: () => rendered.text() }),
    openApiRoute(() => all, publicUrl),
  ];
  return all;
}

/** Returns the URL that carries an invite token; null when the platform has no connector, or cannot tell yet. */
function inviteUrl({ connectors }: CallDomain, token: string): string | null {
  return connectors.get(INVITE_URL.platform)?.provides.invitations?.inviteUrl(token) ?? null;
}

function leavingDomain(
  accounts: AccountDomain,
  { keys, grants, models }: AgentDomain,
  files: FileDomain,
  people: People,
): LeavingDomain {
  return {
    ...accounts,
    leaveModels: (accountId) => models.leave(accountId),
    forgetModels: () => models.forget(),
    deleteFiles: (accountId) => deleteAccountFiles(files, accountId),
    checkPassword: (accountId, password, client) => checkPassword(people, accountId, password, client),
    forgetCredentials: async (accountId) => {
      people.sessions.removeAllOf(accountId);
      await people.roster.reload(accountId);
      await keys.refresh(accountId);
      await grants.refresh(accountId);
    },
  };
}
