import type * as z from 'zod';
import type { Usage } from '../../api/rest/account.ts';
import type { AgentProbe } from '../../api/rest/agent-probe.ts';
import type { InviteLink } from '../../api/rest/bots.ts';
import type { PlatformList } from '../../api/rest/platforms.ts';
import type { Account } from '../../api/schema/account.ts';
import type { Agent, AgentList, CandidateList } from '../../api/schema/agent.ts';
import type { AgentPolicy } from '../../api/schema/agent-policy.ts';
import type { Provider, ProviderCatalog, ProviderChoices } from '../../api/schema/agent-provider.ts';
import type { CreatedKey, KeyList } from '../../api/schema/api-key.ts';
import type { SignedIn, SignInOptions } from '../../api/schema/auth.ts';
import type { McpAuthorizationList } from '../../api/schema/authorization.ts';
import type { BotToken, BotTokenList } from '../../api/schema/bot-token.ts';
import type {
  Call,
  CallAudio,
  CallList,
  CallStatus,
  CreatedCall,
  PastCallStatus,
} from '../../api/schema/call.ts';
import type { InstalledBot, OAuthStarted } from '../../api/schema/connection.ts';
import type { DeliveryDetail, DeliveryList, NewDelivery } from '../../api/schema/delivery.ts';
import type { DeliveredDm, QueuedDm } from '../../api/schema/dm.ts';
import type { IdentityList } from '../../api/schema/identities.ts';
import type { ConversationHistory, Inbox } from '../../api/schema/inbox.ts';
import type { SipDid, SipDidList, SipTrunk } from '../../api/schema/sip.ts';
import type {
  VoiceConfig,
  VoiceConfigList,
  VoiceConfigSchema,
  VoiceList,
} from '../../api/schema/voice-config.ts';

/** What the endpoints that the dashboard uses answer, by the schemas of the gateway itself. */
export interface Answers {
  'GET /auth/options': z.output<typeof SignInOptions>;
  'POST /auth/setup': z.output<typeof SignedIn>;
  'POST /auth/login': z.output<typeof SignedIn>;
  'POST /auth/signup': unknown;
  'POST /auth/logout': unknown;
  'POST /auth/resend-verification': unknown;
  'POST /auth/forgot-password': unknown;
  'GET /auth/identities': z.output<typeof IdentityList>;
  'DELETE /auth/identities/{identity_id}': unknown;
  'POST /api/change-password': unknown;
  'POST /api/change-email': unknown;

  'GET /api/account': z.output<typeof Account>;
  'DELETE /api/account': unknown;
  'GET /api/usage': z.output<typeof Usage>;
  'POST /api/feedback': unknown;

  'GET /api/calls': z.output<typeof CallList>;
  'GET /api/calls/history/{call_id}': z.output<typeof PastCallStatus>;
  'POST /api/call': z.output<typeof CreatedCall>;
  'GET /api/call/{call_id}': z.output<typeof CallStatus>;
  'DELETE /api/call/{call_id}': z.output<typeof Call>;
  'GET /api/call/{call_id}/audio': z.output<typeof CallAudio>;
  'POST /api/call/{call_id}/accept': z.output<typeof Call>;
  'POST /api/call/{call_id}/refuse': z.output<typeof Call>;
  'POST /api/call/{call_id}/say': unknown;
  'POST /api/call/{call_id}/stop-speaking': unknown;
  'POST /api/call/{call_id}/dtmf': unknown;
  'POST /api/call/{call_id}/chat': unknown;

  'GET /api/inbox': z.output<typeof Inbox>;
  'GET /api/inbox/{conversation_id}': z.output<typeof ConversationHistory>;
  'POST /api/dm/chat': z.output<typeof DeliveredDm> | z.output<typeof QueuedDm>;

  'GET /api/platforms': z.output<typeof PlatformList>;
  'POST /api/platforms/{provider}/test-dm': unknown;
  'POST /api/platforms/{platform}/owner/code': { readonly code: string; readonly expires_at: string };
  'POST /api/oauth/start/{provider}': z.output<typeof OAuthStarted>;
  'DELETE /api/connections/{connection_id}': unknown;
  'GET /api/bot-tokens': z.output<typeof BotTokenList>;
  'POST /api/bot-tokens': z.output<typeof BotToken>;
  'DELETE /api/bot-tokens/{bot_id}': unknown;
  'POST /api/invite-link': z.output<typeof InviteLink>;
  'POST /api/{platform}/connect': DeepLink;
  'POST /api/nctalk/talk-bots': z.output<typeof InstalledBot>;
  'POST /api/oauth/teams-admin-consent/start': z.output<typeof OAuthStarted>;
  'GET /api/sip/trunk': z.output<typeof SipTrunk>;
  'PUT /api/sip/trunk': z.output<typeof SipTrunk>;
  'DELETE /api/sip/trunk': unknown;
  'GET /api/sip/dids': z.output<typeof SipDidList>;
  'POST /api/sip/dids': z.output<typeof SipDid>;
  'PATCH /api/sip/dids/{did_id}': z.output<typeof SipDid>;
  'DELETE /api/sip/dids/{did_id}': unknown;

  'GET /api/agents': z.output<typeof AgentList>;
  'GET /api/agents/_candidates': z.output<typeof CandidateList>;
  'POST /api/agents': z.output<typeof Agent>;
  'PATCH /api/agents/{agent_id}': z.output<typeof Agent>;
  'DELETE /api/agents/{agent_id}': unknown;
  'POST /api/agents/{agent_id}/set-default': z.output<typeof Agent>;
  'POST /api/agents/{agent_id}/keys': z.output<typeof CreatedKey>;
  'POST /api/agents/{agent_id}/keys/{key_id}': z.output<typeof Agent>;
  'DELETE /api/agents/{agent_id}/keys/{key_id}': z.output<typeof Agent>;
  'POST /api/agents/{agent_id}/accounts': z.output<typeof Agent>;
  'DELETE /api/agents/{agent_id}/accounts/{account_type}/{account_id}': z.output<typeof Agent>;
  'GET /api/agents/providers': z.output<typeof ProviderCatalog>;
  'GET /api/agents/{agent_id}/policy': z.output<typeof AgentPolicy>;
  'PATCH /api/agents/{agent_id}/policy': z.output<typeof AgentPolicy>;
  'GET /api/agents/{agent_id}/provider': z.output<typeof Provider>;
  'PATCH /api/agents/{agent_id}/provider': z.output<typeof Provider>;
  'POST /api/agents/{agent_id}/provider/browse': z.output<typeof ProviderChoices>;
  'POST /api/agents/{agent_id}/test': z.output<typeof NewDelivery>;
  'POST /api/agents/{agent_id}/reset-conversations': unknown;
  'GET /api/agents/{agent_id}/deliveries': z.output<typeof DeliveryList>;
  'GET /api/agent-deliveries/{id}': z.output<typeof DeliveryDetail>;
  'POST /api/agent-deliveries/{id}/replay': z.output<typeof NewDelivery>;

  'GET /api/voice-configs': z.output<typeof VoiceConfigList>;
  'GET /api/voice-configs/schema': z.output<typeof VoiceConfigSchema>;
  'POST /api/voice-configs': z.output<typeof VoiceConfig>;
  'PATCH /api/voice-configs/{id}': z.output<typeof VoiceConfig>;
  'DELETE /api/voice-configs/{id}': unknown;
  'POST /api/providers/{name}/voices': z.output<typeof VoiceList>;

  'GET /api/api-keys': z.output<typeof KeyList>;
  'POST /api/api-keys': z.output<typeof CreatedKey>;
  'DELETE /api/api-keys/{key_id}': unknown;
  'GET /api/settings-keys': z.output<typeof KeyList>;
  'POST /api/settings-keys': z.output<typeof CreatedKey>;
  'DELETE /api/settings-keys/{key_id}': unknown;
  'POST /api/keys/test-agent/start': z.output<typeof AgentProbe>;
  'GET /api/keys/test-agent/status': z.output<typeof AgentProbe>;
  'GET /api/mcp-authorizations': z.output<typeof McpAuthorizationList>;
  'DELETE /api/mcp-authorizations/{client_id}': unknown;

  'GET /readyz': {
    readonly status: string;
    readonly not_ready?: readonly { name: string; reason: string }[];
  };
}

interface DeepLink {
  readonly deep_link: string;
  readonly bot_name: string;
  readonly code: string | null;
  readonly expires_at: string | null;
}

export type Endpoint = keyof Answers;
export type Reading = Extract<Endpoint, `GET ${string}`>;
